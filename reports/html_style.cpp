#include "reports/html_pieces.h"

namespace apmt {

// In both colour schemes, the contrast of text with its background is at least 4.5 to 1, that of
// marks in charts at least 3 to 1.
std::string_view html_style() {
  return R"css(
:root{--bg:#fff;--soft:#f4f6f8;--line:#d5dae0;--text:#1b1f24;--dim:#57606a;--accent:#0b5cad;
--band:#0b5cad2e;--measured:#1b1f24;--warn:#7a4b00;--warnbg:#fff6e0;--beyond:#eef2f6;
--p0:#2f6db5;--p1:#d9730d;--p2:#b5304a;--p3:#7d5bbe;--p4:#8a6d1f;--p5:#6e7781;--p6:#2b8a6b;--p7:#a04a9c;--p8:#4f7d1f;
--b0:#b5304a;--b1:#7d5bbe;--b2:#2b8a6b;
--e0:#d8efdc;--e1:#eaf3cd;--e2:#fbf0c4;--e3:#fadcc0;--e4:#f6c9c9}
@media(prefers-color-scheme:dark){:root{--bg:#14171b;--soft:#1d2127;--line:#3a414b;--text:#e8eaed;
--dim:#a4adb8;--accent:#6cb2ff;--band:#6cb2ff38;--measured:#f2f4f6;--warn:#ffcf70;--warnbg:#33270d;
--beyond:#1a1f26;--p0:#5c9de6;--p1:#f0964a;--p2:#ef6f86;--p3:#ae93ea;--p4:#d3b04f;--p5:#9aa4b0;
--p6:#52c29b;--p7:#d983d4;--p8:#93c95a;--b0:#ef6f86;--b1:#ae93ea;--b2:#52c29b;
--e0:#16402a;--e1:#33441a;--e2:#4d4412;--e3:#573418;--e4:#5c2328}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--text);font:16px/1.5 system-ui,-apple-system,"Segoe UI",
Roboto,"Helvetica Neue",Arial,sans-serif;-webkit-text-size-adjust:100%}
main,header,footer{max-width:1160px;margin:0 auto;padding:0 20px}
header{padding-top:28px}
h1{font-size:1rem;font-weight:600;color:var(--dim);margin:0 0 6px;overflow-wrap:anywhere}
.headline{font-size:1.55rem;line-height:1.35;font-weight:600;margin:0 0 16px;max-width:46em;
overflow-wrap:anywhere;text-wrap:pretty}
.reasons{margin:0 0 18px;padding:0 0 0 1.2em;max-width:62em}
.reasons li{margin:3px 0;overflow-wrap:anywhere}
.facts{display:flex;flex-wrap:wrap;gap:8px 28px;margin:0 0 18px;padding:12px 0;
border:solid var(--line);border-width:1px 0}
.facts div{min-width:0}
.facts dt{font-size:.8rem;color:var(--dim)}
.facts dd{margin:0;overflow-wrap:anywhere}
.warnings{background:var(--warnbg);color:var(--warn);border-left:4px solid currentColor;
padding:10px 16px;margin:0 0 18px;border-radius:0 6px 6px 0}
.warnings h2{font-size:1rem;margin:0}
.warnings ul{margin:4px 0 0;padding-left:1.2em;overflow-wrap:anywhere}
nav ul{display:flex;flex-wrap:wrap;gap:4px 18px;list-style:none;margin:0;padding:0;font-size:.9rem}
a{color:var(--accent)}
section{margin:0;padding:26px 0 6px}
section>h2{font-size:1.25rem;margin:0 0 8px}
section>p{max-width:62em;margin:0 0 8px;overflow-wrap:anywhere}
#guidance>p:first-of-type{font-weight:600}#guidance>p{border-left:3px solid var(--accent);padding:1px 0 1px 14px;margin:0 0 12px}
figure{margin:8px 0 18px}
.chart{display:block;width:100%;max-width:860px;height:auto}
.chart text{font-size:13px;fill:var(--dim)}
.mid{text-anchor:middle}.end{text-anchor:end}
.chart .note{font-style:italic}
.grid{stroke:var(--line);stroke-width:1}.axis{stroke:var(--dim);stroke-width:1}
.beyond{fill:var(--beyond)}.band{fill:var(--band)}
.line{fill:none;stroke-width:2}
.predicted{stroke:var(--accent);stroke-width:2.5}
.ideal{stroke:var(--dim);stroke-dasharray:1 5;stroke-linecap:round}
.base0{stroke:var(--b0);stroke-dasharray:8 4}.base1{stroke:var(--b1);stroke-dasharray:3 3}
.base2{stroke:var(--b2);stroke-dasharray:10 3 2 3}
.asked{fill:var(--accent);stroke:var(--bg);stroke-width:1.5}
.whisker{stroke:var(--accent);stroke-width:1.5}
.measured{fill:var(--measured);stroke:var(--bg);stroke-width:1.5}
.known{fill:var(--bg);stroke:var(--measured);stroke-width:2}
.legend{display:flex;flex-wrap:wrap;gap:2px 20px;list-style:none;margin:8px 0 0;padding:0;font-size:.88rem}
.legend li{display:flex;align-items:center;gap:7px}
.key{width:30px;height:14px;flex:none}
.hint,.caption{font-size:.88rem;color:var(--dim);margin:4px 0}
.part0{fill:var(--p0)}.part1{fill:var(--p1)}.part2{fill:var(--p2)}.part3{fill:var(--p3)}
.part4{fill:var(--p4)}.part5{fill:var(--p5)}.part6{fill:var(--p6)}.part7{fill:var(--p7)}.part8{fill:var(--p8)}
.stack{list-style:none;margin:8px 0;padding:0;display:grid;grid-template-columns:max-content 1fr max-content;
gap:8px 12px;align-items:center}
.stack li{display:contents}
.stack svg{width:100%;height:24px;display:block;border-radius:3px}
.stack rect{stroke:var(--bg);stroke-width:1.5}
.foreseen{opacity:.82}
.who{font-weight:600;text-align:right;line-height:1.2}
.who small{font-weight:400;color:var(--dim)}
.sum{font-variant-numeric:tabular-nums;white-space:nowrap}
.tree .scroll{width:fit-content;max-width:100%}.tree table{width:auto}.tree td{min-width:5.2em}.tree small{font-weight:400;color:var(--dim)}
.in1{padding-left:30px}.in2{padding-left:54px}.in3{padding-left:78px}
.eff0{background:var(--e0)}.eff1{background:var(--e1)}.eff2{background:var(--e2)}.eff3{background:var(--e3)}
.eff4{background:var(--e4)}.fore{font-style:italic}
.spot{fill:var(--accent);fill-opacity:.75;stroke:var(--bg);stroke-width:1}.chart .number{fill:var(--text);font-weight:600}
.kiviat text{font-size:12px}.shape{fill:var(--band);stroke:var(--accent);stroke-width:1.5}.dot{stroke:var(--bg)}
.spoke{stroke-width:2;stroke-opacity:.45}.of0{fill:var(--p0);stroke:var(--p0)}.of1{fill:var(--p6);stroke:var(--p6)}
.of2{fill:var(--p4);stroke:var(--p4)}.of3{fill:var(--p3);stroke:var(--p3)}.cache{stroke:var(--warn);stroke-dasharray:5 4}
.bin{fill:var(--accent)}.numbered{margin:8px 0 0;padding-left:2em;font-size:.88rem;overflow-wrap:anywhere}
.matrix svg{display:block;width:100%;max-width:420px;border:1px solid var(--line);shape-rendering:crispEdges}
.matrix .tools{margin:6px 0;justify-content:flex-start}.matrix path{fill:var(--accent)}.ground{fill:var(--soft)}
.shade0{opacity:.22}.shade1{opacity:.32}.shade2{opacity:.42}.shade3{opacity:.52}.shade4{opacity:.64}
.shade5{opacity:.76}.shade6{opacity:.88}.matrix .zoomable{cursor:zoom-in}
.sliders{display:flex;flex-wrap:wrap;gap:10px 28px;align-items:start;margin:6px 0 10px}
.slider{flex:1 1 16em;min-width:0;max-width:26em}
.slider .was{margin:0;color:var(--dim);font-size:.8rem}
.notes{margin:0 0 10px;color:var(--dim);font-size:.88rem}.notes:empty{display:none}
.slider label{display:flex;justify-content:space-between;gap:10px;align-items:center;font-size:.9rem}
.slider input{width:9em}.slider input[type=range]{width:100%;accent-color:var(--accent);padding:0;margin:6px 0 0}
.answer{font-size:1.15rem;font-weight:600}
.table{margin:10px 0 20px}
.bar{display:flex;flex-wrap:wrap;gap:8px 14px;align-items:center;justify-content:space-between;margin:0 0 4px}
.bar label{font-size:.9rem;display:flex;gap:8px;align-items:center}
.tools{display:flex;flex-wrap:wrap;gap:8px;align-items:center;margin-left:auto}
input,button{font:inherit;color:inherit;background:var(--bg);border:1px solid var(--dim);border-radius:6px}
input{padding:4px 8px;width:15em;max-width:100%}
button{cursor:pointer}
.tools button{padding:3px 10px;font-size:.85rem}
button:hover{background:var(--soft)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.scroll{overflow-x:auto;border:1px solid var(--line);border-radius:8px}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;font-size:.93rem}
th,td{padding:6px 10px;text-align:right;vertical-align:middle;white-space:nowrap}
th{font-weight:600}
thead th{background:var(--soft);border-bottom:1px solid var(--line);vertical-align:bottom;white-space:normal}
thead button{border:0;background:none;padding:0;font-weight:600;text-align:inherit;border-radius:3px}
thead button::after{content:"\a0\2195";color:var(--dim);font-weight:400}
th[aria-sort=ascending] button::after{content:"\a0\2191";color:inherit}
th[aria-sort=descending] button::after{content:"\a0\2193";color:inherit}
tbody tr+tr>*{border-top:1px solid var(--line)}
tbody th{font-weight:400}
.t{text-align:left}
.t span{display:block;white-space:pre-wrap;overflow-wrap:break-word;max-width:30em;width:max-content}
.code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.88em}
tbody th.code{min-width:13em}th.code span,th.code small{max-width:26em;white-space:normal}th.code span{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:3;overflow:hidden}
th.code:hover span,th.code:active span{-webkit-line-clamp:none}
details{margin:0 0 18px}summary{cursor:pointer;color:var(--accent);font-size:.9rem}
tbody th>small{display:block;color:var(--dim);font-size:.95em;font-weight:400}
.gauge{min-width:8em;background:linear-gradient(90deg,var(--band) var(--share),transparent 0) 10px 50%/calc(100% - 20px) 70% no-repeat}
.on>*{background:var(--soft);font-weight:600}
.none{color:var(--dim)}
.spark{width:110px;height:26px;display:block;margin-left:auto}
.spark .line{stroke-width:1.5}
.dots{stroke:var(--measured);stroke-width:5;stroke-linecap:round;fill:none}
footer{color:var(--dim);font-size:.85rem;padding-top:18px;padding-bottom:36px}
@media(max-width:640px){
main,header,footer{padding-left:14px;padding-right:14px}
.headline{font-size:1.25rem}
.facts{display:block}.facts div{margin:0 0 6px}
.chart text{font-size:19px}.chart .note{font-size:18px}.chart.kiviat text{font-size:17px}
.stack{display:block}.stack li{display:grid;grid-template-columns:1fr auto;gap:2px 10px;margin:10px 0}
.who{text-align:left}.stack svg{grid-column:1/3;grid-row:2}
.gauge{min-width:0}
th,td{padding:6px 9px}
.t span{max-width:15em}
}
@media print{
:root{--bg:#fff;--soft:#f4f6f8;--line:#c8cdd3;--text:#000;--dim:#444;--accent:#0b5cad;--band:#0b5cad2e;
--measured:#000;--warn:#5c3900;--warnbg:#fff;--beyond:#f2f4f7;--p0:#2f6db5;--p1:#d9730d;--p2:#b5304a;
--p3:#7d5bbe;--p4:#8a6d1f;--p5:#6e7781;--p6:#2b8a6b;--p7:#a04a9c;--p8:#4f7d1f;--b0:#b5304a;--b1:#7d5bbe;--b2:#2b8a6b;
--e0:#d8efdc;--e1:#eaf3cd;--e2:#fbf0c4;--e3:#fadcc0;--e4:#f6c9c9}
@page{margin:14mm}
body{font-size:10.5pt}
main,header,footer{max-width:none;padding:0}
nav,.tools,label,.sliders,.cannot{display:none!important}
.headline{font-size:15pt}
.chart{max-width:150mm}
figure,tr,.warnings{break-inside:avoid}
section>h2{break-after:avoid}
.scroll{overflow:visible;border:0}
table{font-size:7pt}
th,td{padding:2px 3px}
.t,thead th{white-space:normal}
.t span{max-width:18em;width:auto}.code span{overflow-wrap:anywhere}
.tree td{min-width:0}
.spark{width:76px;height:18px}
thead button::after{content:""}
thead th{border-bottom:1px solid #000;background:none}
}
@media(prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}
)css";
}

}  // namespace apmt
