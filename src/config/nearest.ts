/**
 * Finds the candidate that a person most likely meant, ignoring case: the one fewest single-letter edits away, else the
 * one that shares most of its words. Returns undefined when no candidate is close enough.
 */
export function nearest(typed: string, candidates: readonly string[]): string | undefined {
  return mostAlike(typed, candidates) ?? mostShared(typed, candidates);
}

function mostAlike(typed: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(2, Math.floor(typed.length / 3));
  let best: string | undefined;
  let fewest = limit + 1;
  for (const candidate of candidates) {
    // A difference in length takes at least that many edits, and is cheaper to compute.
    if (Math.abs(candidate.length - typed.length) >= fewest) continue;
    const edits = editDistance(typed.toLowerCase(), candidate.toLowerCase());
    // Of a short candidate, as many edits as it has letters would leave nothing.
    if (edits >= fewest || edits >= candidate.length) continue;
    fewest = edits;
    best = candidate;
  }
  return best;
}

function mostShared(typed: string, candidates: readonly string[]): string | undefined {
  const words = new Set(wordsOf(typed));
  let best: string | undefined;
  let most = 0;
  for (const candidate of candidates) {
    const own = wordsOf(candidate);
    const share = own.filter((word) => words.has(word)).length / own.length;
    if (share > most) [best, most] = [candidate, share];
  }
  return best;
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\d]+/gu) ?? [];
}

/** Counts the insertions, deletions and replacements between two texts (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of Array.from(from).entries()) {
    const next = [index + 1];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (letter === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
