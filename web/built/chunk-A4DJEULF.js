function i(n,e=""){let r=t=>Object.assign(document.createElement("em"),{textContent:t,...e&&{lang:e}});return n.split(/\*([^*]+)\*/).map((t,s)=>s%2?r(t):t).filter(t=>t!=="")}export{i as a};
