/** The style of the status page: light and dark, for desks and phones, without motion for people who want none. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --text: #1c2330; --quiet: #566072; --line: #d6dbe3; --notice: #fff4d6;
  --sun: #cf9c00; --battery: #4f9e45; --house: #3d7be0; --grid: #a45fc9; --good: #1f7a34; --warn: #8a5a00; --bad: #b42318;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12161c; --card: #1b212a; --text: #e8ebf0; --quiet: #a3adbd; --line: #343d4b; --notice: #3a3013;
    --sun: #fade2a; --battery: #73bf69; --house: #5794f2; --grid: #b877d9; --good: #7ddb92; --warn: #f2c464; --bad: #ff9a8f;
  }
}
.sun { --own: var(--sun); } .house { --own: var(--house); } .grid { --own: var(--grid); } .battery, .charge { --own: var(--battery); }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 0 1rem 3rem; max-width: 64rem; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: inherit; }
body > header, nav { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 1rem; }
body > header { padding: 1rem 0; } nav { font-size: 0.85rem; color: var(--quiet); }
#condition { margin: 0 0 1rem; padding: 0.6rem 1rem; border: 1px solid currentcolor; border-left-width: 0.4rem; border-radius: 0.4rem; font-size: 1.15rem; }
#condition::first-letter { text-transform: uppercase; }
h1, h2 { font-size: 1.2rem; margin: 0; }
small, header p, #as-of, figcaption, figure p, thead th { color: var(--quiet); font-size: 0.85rem; font-weight: normal; }
th small { display: block; }
.station, #overview { background: var(--card); border: 1px solid var(--line); border-radius: 0.75rem; padding: 1rem; margin-bottom: 1rem; }
.station { content-visibility: auto; contain-intrinsic-size: auto 60rem; }
.station header p { margin: 0.25rem 0 0; }
#connection, .notice { background: var(--notice); border-left: 0.3rem solid var(--warn); padding: 0.6rem 1rem; margin: 0 0 1rem; border-radius: 0.4rem; }
.notice.serious { border-color: var(--bad); }
#connection:empty, #simulated:empty { display: none; }
/* It stays while one scrolls, so that nobody takes a made-up house for a real one. */
#simulated { position: sticky; top: 0; z-index: 1; margin: 0 0 1rem; padding: 0.3rem 1rem; border-radius: 0.4rem; font-size: 0.9rem; background: var(--text); color: var(--page); }
#as-of { margin: 0 0 0.5rem; }
#overview { list-style: none; } #overview li { padding: 0.2rem 0; }
body.lost figure { filter: grayscale(1); } body.lost .station { border-style: dashed; }
figure { margin: 1rem auto; max-width: 32rem; text-align: center; }
figcaption { overflow-wrap: normal; text-wrap: balance; } figure.day { max-width: 44rem; } .flow { width: 100%; height: auto; }
.shape { fill: var(--card); stroke: var(--own); stroke-width: 3; }
/* Their edge keeps text readable where the charge of a battery ends. */
.node text { text-anchor: middle; fill: var(--text); paint-order: stroke; stroke: var(--card); stroke-width: 3px; stroke-opacity: 0.7; }
.node .label, .node .what { font-size: 11px; fill: var(--quiet); }
.node .value { font-size: 17px; font-weight: 600; }
.node .soc { font-size: 24px; font-weight: 700; }
.node.battery text { fill: var(--text); }
.node.unknown .shape { stroke: var(--line); stroke-dasharray: 4 5; }
.icon { fill: none; stroke: var(--quiet); stroke-width: 1.6; stroke-linecap: round; stroke-linejoin: round; }
.level { fill: var(--battery); opacity: 0.3; }
.level.charging { opacity: 0.45; } .level.low { fill: var(--warn); } .level.empty { fill: var(--bad); }
.inverter { fill: var(--quiet); } .head { fill: var(--own); } .rule { stroke: var(--line); }
.line { fill: none; stroke: var(--own); stroke-width: 4; stroke-linecap: round; }
.line.idle, .line.unknown { stroke: var(--line); stroke-width: 2; }
.line.unknown { stroke-dasharray: 1 7; }
.line.inward, .line.outward { stroke-dasharray: 10 8; animation: stream 1.2s linear infinite; } .line.outward { animation-direction: reverse; }
@keyframes stream { from { stroke-dashoffset: 18; } to { stroke-dashoffset: 0; } }
@media (prefers-reduced-motion: reduce) { .line.inward, .line.outward { animation: none; stroke-dasharray: none; } }
.day text { font-size: 11px; fill: var(--quiet); }
.curve { fill: none; stroke: var(--own); stroke-width: 1.8; stroke-linejoin: round; stroke-linecap: round; }
.curve.sun, .curve.charge { fill: var(--own); fill-opacity: 0.25; }
.key { display: inline-block; }
.key::before { content: ""; display: inline-block; width: 0.8em; height: 0.8em; border-radius: 50%; margin: 0 0.3em 0 0.8em; background: var(--own); }
.key.charge::before { border-radius: 0; }
.unknown { color: var(--quiet); font-weight: normal; font-size: 0.95rem; }
.old { color: var(--warn); font-weight: 600; }
table { width: 100%; border-collapse: collapse; margin: 1rem 0 0; }
caption { text-align: left; font-weight: 600; padding-bottom: 0.25rem; }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.6rem 0.4rem 0; border-top: 1px solid var(--line); font-variant-numeric: tabular-nums; }
thead th { border-top: 0; }
.energy :is(th, td):not(:first-child), .devices :is(th, td):is(:nth-child(3), :nth-child(4)) { text-align: right; }
/* A name may be broken anywhere, a word or a number with its unit may not. */
th, td { overflow-wrap: normal; } :is(th, td) :is(bdi, code) { overflow-wrap: anywhere; } thead th, data, time { white-space: nowrap; }
/* Marks that pile up on a letter stay within its line. */
h2, p, th, td, .badge { overflow: clip; overflow-clip-margin: 0.2rem; }
.badge { display: inline-block; border: 1px solid currentcolor; border-radius: 0.4rem; padding: 0 0.4rem; margin-right: 0.25rem; font-size: 0.85rem; }
.good { color: var(--good); } .warn { color: var(--warn); } .bad { color: var(--bad); }
@media (max-width: 40rem) {
  /* A row becomes lines, each value with the name of its column: no table is wider than a phone. */
  table:not(.energy) thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table:not(.energy) tr { display: block; border-top: 1px solid var(--line); padding: 0.4rem 0; }
  table:not(.energy) tbody th { display: block; border: 0; padding: 0.1rem 0; }
  table:not(.energy) td { display: inline-block; border: 0; padding: 0.1rem 0; margin-right: 1rem; }
  table:not(.energy) td::before { content: attr(data-label); margin-right: 0.4rem; color: var(--quiet); font-size: 0.85rem; }
  table.devices:not(.energy) td:nth-child(n) { display: block; text-align: left; }
  .energy, .energy thead th { font-size: 0.8rem; } .energy :is(th, td) { padding-right: 0.3rem; }
  .node .label, .node .what { font-size: 14px; } .node .value { font-size: 19px; } .day text { font-size: 15px; }
}
`;
