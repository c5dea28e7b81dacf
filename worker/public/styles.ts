/** Without needless spaces: it stands in each page and in the script of the Worker. */
export const styles = `
:root{color-scheme:light dark;--text:#1c2126;--quiet:#565e66;--body:#ffffff;--surface:#ffffff;--sunk:#f4f6f7;--line:#dde2e5;--strong:#8b949c;--link:#1d4f61;--action:#2a6276;--alarm:#b62121}
@media (prefers-color-scheme:dark){
:root{--text:#d5d9dc;--quiet:#a9b0b7;--body:#181b1e;--surface:#1f2327;--sunk:#14171a;--line:#343a40;--strong:#78828b;--link:#92bcc9;--action:#2f6c83;--alarm:#ff8f8f}
}
*{box-sizing:border-box}
body{margin:0;background:var(--body);color:var(--text);overflow-wrap:anywhere;font:0.9375rem/1.5 -apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif}
a{color:var(--link)}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
h1{margin:0 0 16px;font-size:1.375rem;line-height:1.3;font-weight:600}
h2{margin:0 0 8px;font-size:0.9375rem;line-height:1.4;font-weight:600}
h3{margin:16px 0 6px;font-size:0.875rem}
p{margin:0 0 8px}
code{display:block;margin-bottom:8px;color:var(--quiet);font-size:0.75rem}
.quiet{color:var(--quiet)}
main{max-width:76rem;margin:0 auto;padding:20px 16px 32px}
.bar{display:flex;flex-wrap:wrap;align-items:center;gap:8px 20px;padding:10px 16px;border-bottom:1px solid var(--line);background:var(--surface)}
.brand{display:inline-flex;align-items:center;gap:8px;color:inherit;font-weight:650;text-decoration:none}
.bar nav{display:flex;flex-wrap:wrap;align-items:center;gap:8px 16px;margin-left:auto}
.find{display:flex;flex:0 1 22rem;gap:6px;min-width:0}
input[type='search'],input[type='email']{width:100%;min-width:0;min-height:36px;padding:4px 10px;border:1px solid var(--strong);border-radius:4px;background:var(--surface);color:inherit;font:inherit}
button,.action{display:inline-block;min-height:36px;padding:6px 14px;border:1px solid var(--strong);border-radius:4px;background:var(--surface);color:inherit;font:inherit;font-weight:500;line-height:1.4;text-decoration:none;white-space:nowrap;cursor:pointer}
.action{border-color:var(--action);background:var(--action);color:#fff}
button:disabled{opacity:0.55;cursor:not-allowed}
.columns{display:grid;grid-template-columns:minmax(0,1fr) minmax(18rem,22rem);gap:12px;align-items:start}
.column{display:flex;flex-direction:column;gap:12px;min-width:0}
.row{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(15rem,100%),1fr));gap:12px}
.offers{margin-top:12px}
.card{padding:12px 16px 16px;border:1px solid var(--line);border-radius:8px;background:var(--surface);font-size:0.875rem}
.decision{margin-bottom:12px;border-color:var(--strong)}
.decision dl{display:flex;flex-wrap:wrap;gap:8px 28px}
.decision dd{font-weight:600}
.narrow{max-width:34rem;margin:24px auto}
.narrow form{margin-top:12px}
.summary{max-width:75ch;margin-bottom:12px;font-size:0.9375rem;white-space:pre-line}
.withdrawn{padding:6px 10px;border:1px dashed var(--strong);border-radius:4px;font-weight:600}
.score{display:flex;flex-wrap:wrap;align-items:center;gap:4px 8px}
.badge{display:inline-block;min-width:2.75rem;padding:1px 8px;border:1px solid transparent;border-radius:4px;font-weight:600;font-variant-numeric:tabular-nums;text-align:center}
.badge small{font-weight:400}
.column .badge{font-size:1.125rem}
[data-band='darkred']{background:#86101b;color:#fff;border-color:#a54c54}
[data-band='red']{background:#c92a2a;color:#fff}
[data-band='orange']{background:#f2953f;color:#1f1300}
[data-band='yellow']{background:#fbd84b;color:#1f1a00}
[data-band='blue']{background:#1f6fb8;color:#fff}
[data-band='none']{border-color:var(--strong)}
[data-band='unknown']{border:1px dashed var(--strong);color:var(--quiet);font-weight:400}
dl{margin:0}
dd{margin:0}
dt{color:var(--quiet)}
.words{display:flex;flex-direction:column;gap:3px}
.words > div,.parts > div{display:grid;grid-template-columns:minmax(0,9rem) minmax(0,1fr);gap:12px}
.row .words > div{grid-template-columns:minmax(0,1fr) auto}
.parts{margin-bottom:8px}
details{margin-top:4px}
summary{width:fit-content;margin-bottom:4px;color:var(--link);cursor:pointer}
.meter{width:60%;max-width:8rem;height:8px;vertical-align:middle;fill:var(--line)}
.meter [data-band='red']{fill:#c92a2a}
.meter [data-band='orange']{fill:#f2953f}
.meter [data-band='yellow']{fill:#fbd84b}
.meter [data-band='blue']{fill:#1f6fb8}
ul{margin:0;padding:0;list-style:none}
.chips{display:flex;flex-wrap:wrap;gap:4px;margin-bottom:12px}
.chips li{padding:0 8px;border:1px solid var(--line);border-radius:12px;background:var(--sunk);font-size:0.8125rem}
.links{display:flex;flex-direction:column;gap:4px}
.switches li{display:flex;justify-content:space-between;gap:12px;padding:2px 0}
.switches label{display:inline-flex;align-items:center;gap:8px}
.switches input{appearance:none;width:30px;height:16px;margin:0;border:1px solid var(--strong);border-radius:8px;background:radial-gradient(circle at 7px 50%,var(--strong) 5px,transparent 5.5px)}
.switches input:checked{border-color:var(--action);background:radial-gradient(circle at 21px 50%,#fff 5px,var(--action) 5.5px)}
.search{margin-bottom:16px}
.search > div{display:flex;gap:8px;max-width:40rem}
label{display:block;margin-bottom:4px;font-weight:500}
.switches label{margin:0;font-weight:400}
.results{display:flex;flex-direction:column;gap:8px;margin:0;padding:0;list-style:none}
.results p{margin-bottom:4px}
.lead{max-width:75ch;margin-bottom:12px;font-size:0.9375rem}
.scroll{margin-bottom:20px;overflow-x:auto}
table{width:100%;border-collapse:collapse;font-size:0.875rem}
th,td{padding:6px 8px;border-bottom:1px solid var(--line);text-align:right;vertical-align:top}
th:first-child{min-width:14rem;text-align:left;font-weight:500}
thead th,td{font-variant-numeric:tabular-nums;white-space:nowrap}
.texts th,.texts td{min-width:min(12rem,22vw);text-align:left;white-space:normal}
.texts th{min-width:min(12rem,28vw)}
.texts thead th{font-weight:600}
tbody tr:last-child > *{border-bottom:0}
.objective{display:flex;flex-wrap:wrap;justify-content:space-between;gap:4px 16px}
.objective h3{margin:0}
[data-now='bad']{color:var(--alarm)}
[data-now='unknown']{color:var(--quiet);font-weight:400}
.days{display:block;width:100%;height:26px;fill:var(--action)}
.days .missed{fill:var(--alarm)}
.days .none{fill:var(--strong)}
.census{display:block;width:100%;height:120px}
.row .census{height:64px}
.judged{fill:var(--action)}
.named{fill:var(--strong)}
.nothing{fill:var(--alarm)}
.census .none{fill:var(--strong)}
.legend{display:flex;flex-wrap:wrap;gap:4px 20px;margin:8px 0 12px}
.legend svg{width:12px;height:12px}
.months th:first-child{min-width:0}
pre{margin:0;font-size:0.75rem}
.ends{display:flex;justify-content:space-between;font-size:0.75rem}
.differences{font-size:1.0625rem}
.card + .differences{margin-top:20px}
.reasons{display:flex;flex-direction:column;gap:8px}
.pager{display:flex;gap:16px;margin-top:16px}
.problem{min-height:1.5em;margin:4px 0 8px;color:var(--alarm);font-size:0.8125rem}
footer{display:flex;flex-wrap:wrap;gap:4px 20px;padding:12px max(16px,50% - 37rem);border-top:1px solid var(--line);color:var(--quiet);font-size:0.8125rem}
dialog{width:min(28rem,calc(100vw - 32px));padding:20px;border:1px solid var(--line);border-radius:8px;background:var(--surface);color:inherit}
dialog::backdrop{background:rgb(0 0 0 / 50%)}
dialog h2{font-size:1.0625rem}
.buttons{display:flex;justify-content:flex-end;gap:8px}
.notice{position:fixed;z-index:10;top:16px;right:16px;max-width:calc(100vw - 32px);margin:0;padding:10px 16px;border:1px solid var(--line);border-left:4px solid var(--action);border-radius:4px;background:var(--surface);box-shadow:0 2px 12px rgb(0 0 0 / 25%)}
.notice.error{border-left-color:var(--alarm)}
.notice.brief{animation:vanish 0s 3s forwards}
@keyframes vanish{to{visibility:hidden}
}
@media (max-width:62em){
.columns{grid-template-columns:minmax(0,1fr)}
.column{display:contents}
[aria-label='Rating']{order:-1}
.bar nav{margin-left:0}
}
@media print{
.bar form,.bar nav,.offers,footer,dialog,.notice{display:none}
}
`
