import type { Source } from '../../model/readings.ts';

export const EVERYWHERE: readonly Source[] = ['history', 'latest', 'flow'];
export const HISTORY_AND_LATEST: readonly Source[] = ['history', 'latest'];
export const LATEST_AND_FLOW: readonly Source[] = ['latest', 'flow'];

/** The PV strings that any family has keys for. */
export const STRING_NUMBERS: readonly string[] = ['1', '2', '3', '4'];
