/** Lines that fill the texts of a trace; `%` becomes a number. None of them holds a fact that is scored. */

export const codeLines: readonly string[] = [
  'export function totalOf(items: readonly Item[]): number {',
  '  return items.reduce((sum, { price, amount }) => sum + price * amount, 0);',
  "import { readFile } from 'node:fs/promises';",
  '  const found = rows.find((row) => row.id === id && row.state !== "closed");',
  '  if (found === undefined) return { type: "missing", id };',
  '    for (const [key, value] of Object.entries(options)) merged.set(key, value);',
  '  // Rounded once at the end, so that parts add up to the whole.',
  '  await writeQueue.push({ file, offset: %, bytes: chunk.length });',
  '}',
  '',
  '  readonly #listeners = new Set<(event: Change) => void>();',
  '    case "updated":',
  '      return { ...state, version: state.version + 1, changedAt: now() };',
  'type Outcome = { readonly type: "done" } | { readonly type: "failed"; readonly message: string };',
  '  expect(formatReceipt(basket)).toEqual(expected);',
  '  const limit = Math.min(options.limit ?? %, HIGHEST);',
];

export const proseLines: readonly string[] = [
  'I will look at how the basket adds up its rows before I change anything.',
  'The function that formats the receipt is called from two places, so both have to be checked.',
  'That explains the output: the second branch is taken whenever the list is empty.',
  'Now the part that reads the settings; it seems to be cached between the runs.',
  'Next I compare what the helper returns with what the caller expects of it.',
  'The change is small, and the types say that nothing else depends on it.',
  'Please have a look at the part of the report that shows the monthly sums.',
  'The same thing happens in the other module, although it is written differently there.',
  'After that the remaining calls can use the new form step by step.',
];

export const logLines: readonly string[] = [
  '[12:04:%] info  worker 3 took job build-% from the queue',
  '   ✓ src/cart/cart.test.ts (12) %ms',
  'npm http fetch GET 200 https://registry.example/left % 31ms (cache hit)',
  '[12:05:%] debug resolved module graph: % modules, 0 cycles',
  '  at Object.<anonymous> (/repo/src/report/render.ts:%:17)',
  'Compiling stage 2 of 5: % units, 0 warnings',
  '2026-03-01T12:05:07.%Z INFO  http request finished status=200 duration_ms=%',
  '   ✓ src/stock/stock.test.ts > keeps the order of equal rows',
  'Downloading layer sha256:9f%1c77ab%0e [==========>        ] 41.%MB',
];

export const chineseLines: readonly string[] = [
  '先看一下购物车是怎么计算总价的，然后再决定要不要修改。',
  '这个函数在两个地方被调用，所以两边都需要检查一遍。',
  '  // 最后统一取整，保证各部分之和等于总数（%）。',
  '配置在两次运行之间被缓存了，这解释了刚才看到的输出。',
  '  const 合计 = 列表.reduce((和, 项) => 和 + 项.价格 * 项.数量, 0);',
  '接下来比较辅助函数的返回值和调用方的预期是否一致。',
  '报表里每月的合计部分还需要再看一下，编号 %。',
  '类型检查已经通过，没有其他模块依赖这个改动。',
];
