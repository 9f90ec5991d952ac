/** Adds an item; the same name again raises its quantity. */
export function add(basket, name, price, quantity = 1) {
  const known = basket.find((item) => item.name === name);
  if (known) known.quantity += quantity;
  else basket.push({ name, price, quantity });
  return basket;
}

/** What the whole basket costs, in cents. */
export function total(basket) {
  let sum = 0;
  for (const item of basket) {
    sum += item.price;
  }
  return sum;
}

// TODO: a discount for ten or more of the same thing
