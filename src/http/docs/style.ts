export const style = `
:root { color-scheme: light dark; --line: #8885; --soft: #8881; --accent: light-dark(#0b57d0, #8ab4f8); font: 15px/1.5 system-ui, sans-serif }
* { box-sizing: border-box }
body { margin: 0; display: grid; grid-template-columns: 15rem minmax(0, 1fr); min-height: 100vh }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem; border-right: 1px solid var(--line) }
nav h2 { font-size: .8rem; margin: 1rem 0 .2rem; text-transform: uppercase; letter-spacing: .05em }
nav a { display: block; padding: .1rem 0; color: inherit; text-decoration: none; font-size: .9rem }
nav a:hover, nav a:focus { color: var(--accent) }
main { padding: 1rem 1.5rem 6rem; max-width: 60rem }
.keys { display: flex; flex-wrap: wrap; gap: .8rem; padding: .8rem; border: 1px solid var(--line); border-radius: .5rem }
.keys label { flex: 1 1 16rem }
label { display: block; font-size: .85rem; margin: .4rem 0 }
input, textarea { width: 100%; font: .9rem/1.4 ui-monospace, monospace; padding: .4rem; border: 1px solid var(--line); border-radius: .3rem; background: transparent; color: inherit }
textarea { min-height: 9rem }
button { font: inherit; padding: .35rem 1rem; border: 0; border-radius: .3rem; background: var(--accent); color: light-dark(#fff, #000); cursor: pointer }
details.operation { border: 1px solid var(--line); border-radius: .5rem; margin: .6rem 0; scroll-margin-top: 1rem }
details.operation > summary { padding: .6rem .8rem; cursor: pointer; display: flex; flex-wrap: wrap; gap: .2rem .7rem; align-items: baseline }
details.operation > div { padding: 0 .8rem .8rem }
.method { font: 700 .8rem ui-monospace, monospace; color: var(--accent); width: 4rem }
code, pre { font: .88rem/1.45 ui-monospace, monospace; overflow-wrap: anywhere }
pre { background: var(--soft); padding: .7rem; border-radius: .3rem; overflow: auto; white-space: pre-wrap; margin: .4rem 0 }
table { border-collapse: collapse; width: 100%; font-size: .9rem }
th, td { text-align: left; vertical-align: top; padding: .25rem .6rem .25rem 0; border-bottom: 1px solid var(--line) }
h3 { font-size: .95rem; margin: 1rem 0 .3rem }
.dim { opacity: .7 }
@media (max-width: 46rem) {
  body { display: block }
  nav { position: static; height: auto; max-height: 14rem; border-right: 0; border-bottom: 1px solid var(--line) }
  main { padding: 1rem }
}`;
