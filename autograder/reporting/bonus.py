"""How the output of a check says what a bonus has earned.

nbgrader reads a check's points from `text/plain` and stops at more than the cell is worth, which for a bonus is 0.
"""

BONUS_TYPE = "application/vnd.transformer-course.bonus+json"


def bonus_data(points: float) -> dict[str, float]:
    """What stands under that type."""
    return {"points": float(points)}
