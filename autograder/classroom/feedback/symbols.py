"""The TeX commands that stand for a character or a word, and the characters of TeX's alphabets."""

from __future__ import annotations

LETTERS = """
alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ
nu ν xi ξ omicron ο pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω
Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω
infty ∞ partial ∂ ell ℓ hbar ℏ wp ℘ Re ℜ Im ℑ aleph ℵ imath ı jmath ȷ emptyset ∅ varnothing ∅ top ⊤ bot ⊥ angle ∠
"""

OPERATORS = """
cdot ⋅ times × div ÷ pm ± mp ∓ ast ∗ star ⋆ circ ∘ bullet ∙ oplus ⊕ ominus ⊖ otimes ⊗ oslash ⊘ odot ⊙ dagger †
cap ∩ cup ∪ uplus ⊎ wedge ∧ land ∧ vee ∨ lor ∨ lnot ¬ neg ¬ setminus ∖ smallsetminus ∖ backslash \\
le ≤ leq ≤ leqslant ⩽ ge ≥ geq ≥ geqslant ⩾ lt < gt > ll ≪ gg ≫ ne ≠ neq ≠ eq = equiv ≡ cong ≅ sim ∼ simeq ≃
approx ≈ propto ∝ doteq ≐ models ⊨ vdash ⊢ dashv ⊣ perp ⊥ parallel ∥ mid ∣ nmid ∤ prec ≺ succ ≻
subset ⊂ supset ⊃ subseteq ⊆ supseteq ⊇ in ∈ ni ∋ notin ∉ coloneqq ≔
to → gets ← leftarrow ← rightarrow → leftrightarrow ↔ Leftarrow ⇐ Rightarrow ⇒ Leftrightarrow ⇔
longleftarrow ⟵ longrightarrow ⟶ longleftrightarrow ⟷ Longleftarrow ⟸ Longrightarrow ⟹ Longleftrightarrow ⟺
mapsto ↦ longmapsto ⟼ uparrow ↑ downarrow ↓ updownarrow ↕ hookrightarrow ↪ leadsto ⇝ implies ⟹ impliedby ⟸ iff ⟺
nabla ∇ forall ∀ exists ∃ nexists ∄ prime ′ therefore ∴ because ∵ degree ° checkmark ✓ square □ Box □ blacksquare ■
dots … ldots … dotsc … cdots ⋯ dotsb ⋯ vdots ⋮ ddots ⋱ colon :
langle ⟨ rangle ⟩ lvert | rvert | vert | lVert ‖ rVert ‖ Vert ‖ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ lbrace { rbrace }
lbrack [ rbrack ]
"""

BIG = "sum ∑ prod ∏ coprod ∐ int ∫ iint ∬ oint ∮ bigcup ⋃ bigcap ⋂ bigvee ⋁ bigwedge ⋀ bigoplus ⨁ bigotimes ⨂"

FUNCTIONS = """
sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan arg det dim ker hom deg gcd exp log ln lg Pr
"""

WITH_LIMITS = "lim limsup liminf sup inf max min argmax argmin"

ACCENTS = "hat ^ widehat ^ bar ¯ overline ¯ tilde ~ widetilde ~ vec → dot ˙ ddot ¨ acute ´ grave ` check ˇ breve ˘"

SPACES = {
    ",": 0.167, "thinspace": 0.167, ":": 0.222, ">": 0.222, "medspace": 0.222, ";": 0.278, "thickspace": 0.278,
    "!": -0.167, "negthinspace": -0.167, " ": 0.333, "~": 0.333, "space": 0.333, "enspace": 0.5, "quad": 1.0,
    "qquad": 2.0,
}  # fmt: skip
"""In widths of an m."""

SIZES = {"big": 1.2, "Big": 1.8, "bigg": 2.4, "Bigg": 3.0}
"""Of a delimiter, in lines."""

ALPHABETS = {"mathbf": 0x1D400, "boldsymbol": 0x1D400, "bm": 0x1D400, "mathcal": 0x1D49C, "mathscr": 0x1D49C,
             "mathfrak": 0x1D504, "mathbb": 0x1D538}  # fmt: skip
"""Where the capital A of an alphabet stands; the small a stands 26 further on."""

ELSEWHERE = {
    0x1D49D: "ℬ", 0x1D4A0: "ℰ", 0x1D4A1: "ℱ", 0x1D4A3: "ℋ", 0x1D4A4: "ℐ", 0x1D4A7: "ℒ", 0x1D4A8: "ℳ", 0x1D4AD: "ℛ",
    0x1D4BA: "ℯ", 0x1D4BC: "ℊ", 0x1D4C4: "ℴ", 0x1D506: "ℭ", 0x1D50B: "ℌ", 0x1D50C: "ℑ", 0x1D515: "ℜ", 0x1D51D: "ℨ",
    0x1D53A: "ℂ", 0x1D53F: "ℍ", 0x1D545: "ℕ", 0x1D547: "ℙ", 0x1D548: "ℚ", 0x1D549: "ℝ", 0x1D551: "ℤ",
}  # fmt: skip
"""Letters that had a place before their alphabet got one."""


def _pairs(table: str) -> dict[str, str]:
    words = table.split()
    return dict(zip(words[::2], words[1::2], strict=True))


LETTER, OPERATOR, BIG_OPERATOR, ACCENT = map(_pairs, (LETTERS, OPERATORS, BIG, ACCENTS))
FUNCTION, LIMITED = FUNCTIONS.split(), WITH_LIMITS.split()


def in_alphabet(command: str, letter: str) -> str:
    """A letter as `\\mathbb` and its like have it; anything else as it is."""
    if not (letter.isascii() and letter.isalpha()):
        return letter
    place = ALPHABETS[command] + (ord(letter) - ord("A") if letter.isupper() else 26 + ord(letter) - ord("a"))
    return ELSEWHERE.get(place, chr(place))
