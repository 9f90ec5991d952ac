/** Every policy that is compared, ours last. */
import { ours } from './ours/model.ts';
import { peers } from './peers/peers.ts';
import type { Policy } from './policy.ts';

/** The product's own defaults, found by the sweep (`--sweep`); what each means is said in `ours/model.ts`. */
export const economical = { at: 0.2, protect: 0.06, batch: 0.08, residue: 0.1 } as const;

export const variants: readonly Policy[] = [
  ours('ours: masks at half, summary at 0.8'),
  ours('ours: stubs, early summary', { ...economical, trimArguments: true }),
  ours('ours: ledger, early summary', { ...economical, ledgerTokens: 45 }),
];

export const policies: readonly Policy[] = [...peers, ...variants];
