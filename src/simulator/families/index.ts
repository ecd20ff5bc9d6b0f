import { aPhaseHybrid } from './a-phase-hybrid.ts';
import { chargeController } from './charge-controller.ts';
import { classic, fchao } from './classic.ts';
import type { FamilyModel } from './family-model.ts';
import { hpvinv02 } from './hpvinv02.ts';
import { maniy } from './maniy.ts';
import { megaEco } from './mega-eco.ts';
import { msdc } from './msdc.ts';
import { pi30 } from './pi30.ts';
import { sierro } from './sierro.ts';
import { techfine } from './techfine.ts';
import { undescribed } from './undescribed.ts';
import { uwb1 } from './uwb1.ts';

/** Names the inverter families the simulator speaks for. */
export const FAMILIES = [
  'classic',
  'hpvinv02',
  'uwb1',
  'pi30',
  'mega-eco',
  'a-phase-hybrid',
  'msdc',
  'sierro',
  'maniy',
  'techfine',
  'charge-controller',
  'fchao',
  'undescribed',
] as const;

export type Family = (typeof FAMILIES)[number];

/** What the devices of each family speak. */
export const FAMILY_MODELS: Readonly<Record<Family, FamilyModel>> = {
  classic,
  hpvinv02,
  uwb1,
  pi30,
  'mega-eco': megaEco,
  'a-phase-hybrid': aPhaseHybrid,
  msdc,
  sierro,
  maniy,
  techfine,
  'charge-controller': chargeController,
  fchao,
  undescribed,
};
