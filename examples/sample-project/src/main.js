import { add } from './basket.js';
import { receipt } from './receipt.js';

const basket = [];
add(basket, 'apple', 40, 3);
add(basket, 'bread', 320);
add(basket, 'apple', 40);
console.log(receipt(basket));
