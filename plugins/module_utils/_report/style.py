# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages' look: two palettes (light, dark; print is light), one column that fits a phone. No script, no font,
nothing from the network.
"""

from __future__ import annotations

# Of a chart: each line's colour and dashes, the colours of what is marked in it, and widths; its legend is drawn by the
# page.
LINES = (("accent", ()), ("second", (4, 3)), ("warn", (1.5, 2.5)))
MARKS = ("bad", "good")
THICK, THIN = 1.7, 1.5

LIGHT = {
    "paper": "#ffffff",
    "ink": "#1b1f24",
    "muted": "#57606a",
    "line": "#d0d7de",
    "panel": "#f6f8fa",
    "good": "#1a7f37",
    "warn": "#8a5a00",
    "bad": "#c11c28",
    "accent": "#0a5cc4",
    "second": "#8250df",
    "bar": "#6b8fb8",
}
DARK = {
    "paper": "#0d1117",
    "ink": "#e6edf3",
    "muted": "#9aa3ad",
    "line": "#363d46",
    "panel": "#161b22",
    "good": "#3fb950",
    "warn": "#d9a22b",
    "bad": "#ff6a62",
    "accent": "#5aa2ff",
    "second": "#b48cff",
    "bar": "#51749c",
}


def _palette(colours: dict[str, str]) -> str:
    return "".join(f"--{name}:{colour};" for name, colour in colours.items())


CSS = (
    f":root{{color-scheme:light dark;{_palette(LIGHT)}}}"
    f"@media (prefers-color-scheme:dark){{:root{{{_palette(DARK)}}}}}"
    f"@media print{{:root{{color-scheme:light;{_palette(LIGHT)}}}}}"
    + """
*{box-sizing:border-box}
body{margin:0;overflow-wrap:anywhere;
background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",sans-serif}
main{max-width:62rem;margin:0 auto;padding:1.25rem 1rem 4rem}
h1{font-size:1.05rem;font-weight:600;margin:0 0 .75rem;color:var(--muted);overflow-wrap:anywhere}
h2{font-size:1.15rem;margin:2.2rem 0 .6rem;padding-top:.9rem;border-top:1px solid var(--line)}
h3{font-size:1rem;margin:1.2rem 0 .3rem;overflow-wrap:anywhere}
p{margin:.35rem 0}
.small,small{font-size:.85rem;color:var(--muted)}
.verdict{display:flex;flex-wrap:wrap;gap:.4rem 1rem;align-items:center;
border-left:.5rem solid var(--tone);background:var(--panel);padding:.9rem 1rem;border-radius:.3rem}
.verdict strong{font-size:1.9rem;line-height:1.15;color:var(--tone);letter-spacing:.01em}
.verdict span{flex:1 1 16rem}
.good{--tone:var(--good)}.warn{--tone:var(--warn)}.bad{--tone:var(--bad)}.plain{--tone:var(--ink)}
.word{color:var(--tone);font-weight:600;white-space:nowrap}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(13rem,1fr));gap:.75rem;margin:1rem 0}
.figure{border:1px solid var(--line);border-radius:.3rem;padding:.7rem .9rem}
.figure b{display:block;font-size:1.5rem;line-height:1.3;color:var(--tone,var(--ink))}
.figure small{display:block}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:.5rem 0}
dt{color:var(--muted)}dd{margin:0;overflow-wrap:anywhere}
.scroll{overflow-x:auto}
table{overflow-wrap:break-word;
border-collapse:collapse;width:100%;font-size:.92rem}
th,td{text-align:left;vertical-align:top;padding:.3rem .7rem .3rem 0;border-bottom:1px solid var(--line);
overflow-wrap:break-word}
td:first-child{min-width:9rem}
th{font-weight:600;color:var(--muted);font-size:.85rem;white-space:nowrap}
td.n,th.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
pre{background:var(--panel);border:1px solid var(--line);border-radius:.3rem;padding:.7rem .9rem;white-space:pre-wrap;
overflow-wrap:anywhere;font-size:.88rem}
pre,code{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"Liberation Mono",monospace}
svg{display:block;width:100%}
.plot svg{height:auto;overflow:visible}.plot.narrow{display:none}
.rows{display:grid;gap:.1rem;margin-top:.4rem}
.row{display:grid;grid-template-columns:minmax(9rem,19rem) 1fr 4.5rem;gap:.75rem;align-items:center;font-size:.9rem}
.row.stage{font-weight:600;margin-top:.55rem}
.row.step>:first-child{padding-left:1rem;color:var(--muted)}
.row>:last-child{text-align:right;font-variant-numeric:tabular-nums}
.part{display:grid;grid-template-columns:7.5rem 1fr;gap:.1rem .9rem;margin:.55rem 0;font-size:.9rem}
.part>div:first-child,.part>div:nth-child(2){break-inside:avoid}
.part>*,.row>*,.verdict>*,dd{min-width:0}
.part>.wide{grid-column:2}
.part details{margin:0}
.lane{margin:.15rem 0}
details{margin:.5rem 0}
summary{cursor:pointer;padding:.25rem 0;overflow-wrap:anywhere}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;font-size:.85rem;color:var(--muted)}
.legend i{display:inline-block;width:.9rem;height:.7rem;margin-right:.35rem;border-radius:.1rem}
.fill-ok{fill:var(--good)}.fill-warn{fill:var(--warn)}.fill-bad{fill:var(--bad)}.fill-stage{fill:var(--accent)}
.fill-step{fill:var(--bar)}
.fill-out{fill:var(--bar)}.fill-none{fill:var(--line)}
.grid{stroke:var(--line);stroke-width:1}
footer{margin-top:2.5rem;color:var(--muted);font-size:.85rem}
a{color:var(--accent)}
@media (max-width:38rem){
.plot.wide{display:none}.plot.narrow{display:block}
th,th.n{white-space:normal}th,td{padding-right:.4rem}td:first-child{min-width:5.5rem;overflow-wrap:anywhere}
.topics th{font-size:.75rem}.topics th.n{width:1px}
.wide thead{display:none}.wide tr{display:flex;flex-wrap:wrap;gap:0 .9rem;padding:.3rem 0;
border-bottom:1px solid var(--line)}
.wide td,.wide td:first-child{border:0;padding:0;min-width:0}.wide td[data-of]::before{content:attr(data-of) " ";
color:var(--muted)}
.row{grid-template-columns:1fr 4.2rem;gap:0 .5rem}.row>svg{grid-column:1/-1;grid-row:2}
.row.step>:first-child{padding-left:0}
.part{grid-template-columns:1fr}.part>.wide{grid-column:1}.verdict strong{font-size:1.6rem}
dl{grid-template-columns:minmax(6rem,40%) 1fr}
}
@media print{
body{font-size:11pt}main{max-width:none;padding:0}.scroll{overflow:visible}h2,h2+p{break-after:avoid}
.row,.figure,tr{break-inside:avoid}
details:not(.wide)::details-content{content-visibility:visible;display:block;block-size:auto}summary{list-style:none}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
}
"""
    + "".join(
        ".line-%d{stroke:var(--%s);stroke-width:%s;stroke-dasharray:%s}\n"
        % (at, colour, THICK, " ".join(map(str, dashes)) or "none")
        for at, (colour, dashes) in enumerate(LINES)
    )
    + "".join(".mark-%d{stroke:var(--%s);stroke-width:%s}\n" % (at, colour, THIN) for at, colour in enumerate(MARKS))
)
