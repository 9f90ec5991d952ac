import { total } from './basket.js';

/** Lays a basket out as lines of text, widest name first to measure. */
export function receipt(basket) {
  const width = Math.max(5, ...basket.map((item) => item.name.length));
  const lines = basket.map((item) => `${item.quantity} × ${item.name.padEnd(width)} ${money(item.price)}`);
  return [...lines, `${'Total'.padEnd(width + 4)} ${money(total(basket))}`].join('\n');
}

// TODO: other currencies
function money(cents) {
  return `${(cents / 100).toFixed(2)} €`.padStart(9);
}
