"""Takes out of an answer in Markdown what could run, or lead elsewhere, in a page that an instructor opens."""

from __future__ import annotations

import html
import re

BEGINS_HTML = re.compile(r"<(?=[A-Za-z/!?])")
LEADS_ELSEWHERE = re.compile(r"\](?=[(:]\s*(?!https?://|#))")
COMMAND = re.compile(r"\\([A-Za-z]{2,})")
UNSEEN = re.compile(r"[\0-\x08\x0b\x0c\x0e-\x1f\x7f]")
"""Characters that nobody types. A browser leaves some out, and what stood before and behind them becomes one word."""
ENTITY = re.compile(r"&(#[0-9]+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);?")

# What writes mathematics and takes no address, attribute, style or definition. `\href` does, `\mmlToken`, `\style`,
# `\class`, `\require`; and whatever the next MathJax brings.
NAMES = """
alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa varkappa lambda mu nu xi omicron pi varpi
rho varrho sigma varsigma tau upsilon phi varphi chi psi omega digamma Gamma Delta Theta Lambda Xi Pi Sigma Upsilon
Phi Psi Omega frac dfrac tfrac cfrac binom dbinom tbinom sqrt root over atop choose above stackrel overset underset
substack sum prod coprod int iint iiint oint bigcup bigcap bigvee bigwedge bigoplus bigotimes bigodot biguplus
bigsqcup limits nolimits lim limsup liminf sup inf max min argmax argmin det dim ker hom deg gcd exp log ln lg sin cos
tan cot sec csc sinh cosh tanh coth arcsin arccos arctan arg Pr bmod pmod pod mod operatorname injlim projlim
varlimsup varliminf cdot cdots ldots dots dotsb dotsc dotsi dotsm dotso vdots ddots times div pm mp ast star circ
bullet oplus ominus otimes oslash odot dagger ddagger wr amalg cap cup uplus sqcap sqcup vee wedge land lor lnot neg
setminus smallsetminus backslash triangle triangledown triangleleft triangleright bigtriangleup bigtriangledown
bigcirc boxplus boxminus boxtimes boxdot ltimes rtimes le leq leqslant ge geq geqslant lt gt ll gg lll ggg ne neq eq
equiv cong sim simeq approx approxeq asymp propto varpropto doteq models vdash dashv Vdash vDash perp parallel
nparallel mid nmid smile frown bowtie prec succ preceq succeq subset supset subseteq supseteq subsetneq supsetneq
nsubseteq nsupseteq sqsubset sqsupset sqsubseteq sqsupseteq in ni notin owns not lesssim gtrsim lessgtr triangleq
coloneqq eqqcolon ncong nsim nless ngtr nleq ngeq to gets leftarrow rightarrow leftrightarrow Leftarrow Rightarrow
Leftrightarrow longleftarrow longrightarrow longleftrightarrow Longleftarrow Longrightarrow Longleftrightarrow mapsto
longmapsto hookleftarrow hookrightarrow uparrow downarrow updownarrow Uparrow Downarrow Updownarrow nearrow searrow
swarrow nwarrow leftharpoonup leftharpoondown rightharpoonup rightharpoondown rightleftharpoons leadsto
rightsquigarrow implies impliedby iff nrightarrow nleftarrow nRightarrow xleftarrow xrightarrow twoheadrightarrow
rightarrowtail curvearrowright infty partial nabla forall exists nexists emptyset varnothing complement hbar hslash
ell wp Re Im aleph beth imath jmath angle measuredangle prime backprime flat natural sharp surd top bot checkmark
square blacksquare Box Diamond lozenge blacklozenge clubsuit diamondsuit heartsuit spadesuit therefore because degree
copyright pounds yen left right middle big Big bigg Bigg bigl Bigl biggl Biggl bigr Bigr biggr Biggr bigm Bigm biggm
Biggm langle rangle lvert rvert lVert rVert vert Vert lfloor rfloor lceil rceil lbrace rbrace lbrack rbrack lgroup
rgroup lmoustache rmoustache ulcorner urcorner llcorner lrcorner hat widehat bar overline underline tilde widetilde
vec dot ddot dddot acute grave check breve mathring overrightarrow overleftarrow overleftrightarrow underrightarrow
underleftarrow overbrace underbrace overparen underparen cancel bcancel xcancel boxed phantom hphantom vphantom smash
mathstrut mathrm mathbf mathit mathsf mathtt mathcal mathbb mathfrak mathscr mathnormal boldsymbol bm pmb text textrm
textbf textit textsf texttt textnormal mbox hbox rm bf it sf tt cal bold displaystyle textstyle scriptstyle
scriptscriptstyle mathop mathbin mathrel mathopen mathclose mathpunct mathord mathinner mathchoice emph quad qquad
thinspace medspace thickspace negthinspace negmedspace negthickspace enspace hspace hskip hfill kern mkern mskip space
nobreakspace strut newline cr hline hdashline notag nonumber begin end matrix pmatrix bmatrix vmatrix Vmatrix cases
array align aligned alignat gather gathered split multline eqnarray equation tiny small normalsize large Large LARGE
huge Huge scriptsize footnotesize
"""

KNOWN = frozenset(NAMES.split())


def harmless(answer: str) -> str:
    """A Markdown answer without HTML, with links to web addresses only, and formulas that only write mathematics.

    The formgrader and the feedback pages run whatever script they find, in the instructor's name. A space keeps a tag,
    a link or a command from being one, and no formula or comparison minds it.
    """
    answer = UNSEEN.sub("", answer)
    answer = ENTITY.sub(_unless_it_hides, answer)
    answer = BEGINS_HTML.sub("< ", answer)
    answer = LEADS_ELSEWHERE.sub("] ", answer)
    return COMMAND.sub(_if_known, answer)


def _if_known(found: re.Match[str]) -> str:
    return found[0] if found[1] in KNOWN else rf"\ {found[1]}"


def _unless_it_hides(found: re.Match[str]) -> str:
    """An entity, but not one of a letter or a backslash: MathJax reads what a page shows, and that is a command."""
    shown = html.unescape(found[0])
    return f"& {found[0][1:]}" if re.search(r"[A-Za-z\\]", shown) and shown != found[0] else found[0]
