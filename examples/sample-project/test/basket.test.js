import assert from 'node:assert/strict';
import { test } from 'node:test';
import { add, total } from '../src/basket.js';

test('an empty basket costs nothing', () => {
  assert.equal(total([]), 0);
});

test('the same name again raises the quantity', () => {
  const basket = add(add([], 'apple', 40), 'apple', 40, 2);
  assert.equal(basket.length, 1);
  assert.equal(basket[0].quantity, 3);
});

test('the total counts every piece', () => {
  const basket = add(add([], 'apple', 40, 3), 'bread', 320);
  assert.equal(total(basket), 440);
});
