import { aPhaseHybrid } from './a-phase-hybrid.ts';
import { chargeController } from './charge-controller.ts';
import { classic, fchao } from './classic.ts';
import type { FamilyModel } from './family-model.ts';
import { hpvinv02 } from './hpvinv02.ts';
import { maniy } from './maniy.ts';
import { megaEco } from './mega-eco.ts';
import { msdc } from './msdc.ts';
import type { Family } from './names.ts';
import { pi30 } from './pi30.ts';
import { sierro } from './sierro.ts';
import { techfine } from './techfine.ts';
import { undescribed } from './undescribed.ts';
import { uwb1 } from './uwb1.ts';

/** The model of each family. */
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
