"""How a feedback page looks: wide, narrow and on paper, light and dark."""

from __future__ import annotations

from pygments.formatters import HtmlFormatter

from autograder.reporting.report_html import STYLE as OF_REPORTS

PAGE = """
:root{color-scheme:light;--line:#d0d7de;--ok:#1a7f37;--none:#59636e;--bad:#bc4c00;
 --text:#1f2328;--page:#fff;--code:#f0f2f4;--block:#f6f8fa;--link:#0969da}
*{box-sizing:border-box}
body{font:15px/1.5 system-ui,sans-serif;color:var(--text);background:var(--page);margin:0 auto;padding:20px 16px 60px;
 max-width:860px;overflow-wrap:break-word}
h1{font-size:24px;line-height:1.25;margin:0 0 4px}
h2{font-size:18px;margin:32px 0 8px;padding-top:12px;border-top:1px solid var(--line)}
h2 .quiet{font-weight:400;margin-left:6px}h3{font-size:16px}
a{color:var(--link)}.quiet{color:var(--none);font-size:13px}
table{border-collapse:collapse;font-size:14px}
th,td{padding:5px 12px 5px 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
#overview{width:100%;margin:16px 0 8px}#overview td:first-child{width:34%}
.points{white-space:nowrap}.ok{color:var(--ok)}.bad,.part{color:var(--bad)}.none{color:var(--none)}
code{font-size:.92em;background:var(--code);border-radius:3px;padding:1px 4px}pre code{background:none;padding:0}
pre{font-size:12.5px;line-height:1.45;overflow-x:auto;margin:4px 0}
.highlight pre{padding:8px 10px;background:var(--block);border-radius:4px}
.out{padding:6px 10px;border-left:3px solid var(--line);white-space:pre-wrap;max-height:320px;overflow-y:auto}
summary{display:list-item;cursor:pointer}
.lesson{margin:14px 0;color:var(--none)}
.lesson h1,.lesson h2{font-size:17px;border:0;margin:16px 0 4px;padding:0}
.lesson>div{color:var(--text);padding:4px 0 4px 14px;border-left:3px solid var(--line)}
.label{font-size:13px;color:var(--none);margin:14px 0 2px}
.help{font-size:14px}
.answer,.comment{border-left:3px solid var(--line);padding:1px 0 1px 12px;margin:6px 0}
.comment{border-color:var(--link)}
img{max-width:100%}
math{font-size:1.08em}math[display=block]{display:block math;overflow-x:auto;overflow-y:hidden;padding:2px 0}
.ag-report{max-width:none!important;margin:10px 0!important}.ag-strip{overflow-x:auto}
@media(max-width:600px){
 body{padding:12px 10px 40px}#overview,#overview tbody,#overview tr,#overview td{display:block;width:auto!important}
 #overview tr:first-child{display:none}#overview td{border:0;padding:0}
 #overview tr{border-top:1px solid var(--line);padding:6px 0}
 h1{font-size:21px}
}
@media print{
 body{max-width:none;padding:0;font-size:11pt}a{color:inherit;text-decoration:none}
 .lesson:not([open]),.top,.help{display:none}.ag-report,tr,figure{break-inside:avoid}h2,h3,.label{break-after:avoid}
 pre,.out,.ag-report pre{white-space:pre-wrap!important;max-height:none!important;overflow:visible}
 *{print-color-adjust:exact;-webkit-print-color-adjust:exact}
}
"""

DARK = """
:root{color-scheme:dark;--line:#3d444d;--ok:#3fb950;--none:#9198a1;--bad:#f0883e;
 --text:#f0f6fc;--page:#0d1117;--code:#262c36;--block:#161b22;--link:#4493f8;
 --jp-content-font-color1:#f0f6fc;--jp-content-font-color2:#9198a1;--jp-border-color2:#3d444d;
 --jp-layout-color1:#0d1117;--jp-layout-color2:#262c36}
"""
"""On a screen, for who likes it dark. The last of these are the names by which reports know JupyterLab's theme."""


def _colours(style: str) -> str:
    """Those of code."""
    return str(HtmlFormatter(style=style).get_style_defs(".highlight"))


_IN_THE_DARK = f"@media screen and (prefers-color-scheme:dark){{{DARK}{_colours('github-dark')}}}"

STYLE = f"<style>{PAGE}{_colours('default')}{_IN_THE_DARK}</style>{OF_REPORTS}"
