/** The strategies under which the product's engine is measured, by the names that the tables give them. */
export const DEFAULT = 'ClawdCode (default)';
export const ECONOMY = 'ClawdCode (economy)';

export const engineStrategies: readonly { readonly name: string; readonly settings: object }[] = [
  { name: DEFAULT, settings: {} },
  { name: ECONOMY, settings: { strategy: 'economy' } },
];
