// The trace of a warp, a document `cudalab.trace/1`, read moment by moment.
export const LANES = 32;

export function lanes_of(mask) {
  return Array.from({length: LANES}, (_, lane) => lane).filter(lane => (mask >>> lane) & 1);
}

// "0-7, 12"; "–" for no lane.
export function lanes_text(mask) {
  const runs = [];
  for (const lane of lanes_of(mask)) {
    if (runs.at(-1)?.[1] === lane - 1) runs.at(-1)[1] = lane;
    else runs.push([lane, lane]);
  }
  return runs.map(([first, last]) => first === last ? String(first) : `${first}-${last}`).join(", ") || "–";
}

// The moments of the document with what their steps did. `waiting`: warps at a barrier after the moment.
export function moments_of(trace) {
  return trace.moments.map(({first, last, line}) => {
    const steps = trace.steps.slice(first, last + 1);
    const warps = trace.warps[steps.at(-1).warps];
    return {first, last, line, active: steps[0].active, reconverges: steps[0].meets,
            diverges: steps.some(step => step.parts), barrier: steps.some(step => step.barrier),
            accesses: steps.flatMap(step => step.accesses), hazards: steps.flatMap(step => step.hazards),
            waiting: warps.flatMap((warp, number) => warp.state === "at_barrier" ? [number] : [])};
  });
}

// The variables after a moment, in the order of their first value: [{name, type, values, changed}]. `values` has a
// value for each lane that has assigned the variable, undefined for others.
export function variables_after(trace, moment) {
  const known = new Map();
  trace.steps.slice(0, moment.last + 1).forEach((step, at) => {
    for (const {name, type, call, mask, lanes} of step.variables ?? []) {
      const key = `${call} ${name}`;
      if (mask === 0) { known.delete(key); continue; }
      const values = Array(LANES).fill(undefined), before = known.get(key);
      lanes_of(mask).forEach((lane, i) => { values[lane] = lanes[i]; });
      const is_now = at >= moment.first, changed = values.map((value, lane) => is_now && value !== before?.values[lane]);
      const earlier = is_now && before?.at >= moment.first ? before.changed : [];
      known.set(key, {name, type, values, at, changed: changed.map((each, lane) => each || Boolean(earlier[lane]))});
    }
  });
  return [...known.values()].map(({name, type, values, at, changed}) =>
    ({name, type, values, changed: at >= moment.first ? changed : Array(LANES).fill(false)}));
}

// The nearest wanted moment in a direction, 1 or -1; the index `at` if there is none.
export function nearest(moments, at, direction, is_wanted) {
  for (let i = at + direction; i >= 0 && i < moments.length; i += direction) if (is_wanted(moments[i])) return i;
  return at;
}
