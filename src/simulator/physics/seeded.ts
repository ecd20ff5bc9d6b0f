/** Derives an independent 32-bit seed, so that each use of chance has its own stream and adding one shifts no other. */
export function deriveSeed(seed: number, ...names: readonly (string | number)[]): number {
  let hash = mix(seed | 0);
  for (const name of names) {
    const text = String(name);
    for (let position = 0; position < text.length; position += 1)
      hash = Math.imul(hash ^ text.charCodeAt(position), 0x01000193);
    // Closes each name, so that ('ab', 'c') and ('a', 'bc') differ.
    hash = mix(hash);
  }
  return hash;
}

/** Draws number `index` of a seed's stream: uniform in 0 (inclusive) to 1 (exclusive). */
export function seededUnit(seed: number, index: number): number {
  return (mix(seed ^ mix(index)) >>> 0) / 2 ** 32;
}

/** Interpolates a seed's stream smoothly: 0 to 1, one lattice point per whole `position`. */
export function smoothNoise(seed: number, position: number): number {
  const lattice = Math.floor(position);
  const fraction = position - lattice;
  const weight = fraction * fraction * (3 - 2 * fraction);
  const before = seededUnit(seed, lattice);
  return before + (seededUnit(seed, lattice + 1) - before) * weight;
}

/** MurmurHash3's finaliser: every input bit flips about half of the output bits. */
function mix(value: number): number {
  let hash = (value + 0x9e3779b9) | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
