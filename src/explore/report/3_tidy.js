// A tidy tree: subtrees are as close together as their outlines allow, and a parent is centered among its children. The
// best path is always a straight line. Pure.
//
// An outline has the top and bottom row of each level, the deepest level first, all shifted by `base`. Joining two outlines
// takes time proportional to the depth of the shallower one and removes as many entries, so the total time is linear.
function joinBelow(upper, lower) {
  const levels = Math.min(upper.top.length, lower.top.length);
  let gap = -Infinity;
  for (let level = 1; level <= levels; level++)
    gap = Math.max(gap, upper.low.at(-level) + upper.base - lower.top.at(-level) - lower.base + 1);
  lower.base += gap;
  const [kept, other, side] = upper.top.length >= lower.top.length ? [upper, lower, "low"] : [lower, upper, "top"];
  for (let level = 1; level <= levels; level++)
    kept[side][kept[side].length - level] = other[side].at(-level) + other.base - kept.base;
  return {gap, joined: kept};
}

// Sets `row` of each node, relative to its parent's. `placed`: the visible nodes, parents first. No recursion, because
// chains may be arbitrarily long.
function tidy(placed) {
  for (const node of placed.toReversed()) {
    const children = node.open ? node.children : [];
    let outline = null;
    for (const child of children) {
      const {gap, joined} = outline ? joinBelow(outline, child.outline) : {gap: 0, joined: child.outline};
      child.row = gap;
      child.outline = null;
      outline = joined;
    }
    const middle = children.find((child) => child.best)?.row ?? (children.at(-1)?.row ?? 0) / 2;
    for (const child of children) child.row -= middle;
    outline ??= {top: [], low: [], base: 0};
    outline.base -= middle;
    outline.top.push(-outline.base);
    outline.low.push(-outline.base);
    node.outline = outline;
  }
}
