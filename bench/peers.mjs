// How fast other agents are: medians of one run on another day of November 2026, on a Linux machine of two cores as
// this bench was made on, against a scripted server on loopback, each in a home of its own. Figures of another
// machine say little in milliseconds: hold the multiples of an empty Node against each other there.

/** Codex CLI is a native program (Rust); the others run on JavaScript. */
export const peerNames = [
  'Codex 0.169',
  'Claude Code 2.1',
  'pi 0.73',
  'Gemini 0.61',
  'OpenCode 1.18',
  'Qwen Code',
];

/** By the `peer` of a row, in the order of the names. */
export const peers = {
  version: [39, 90, 613, 1327, 540, 752],
  typed: [100, 632, 689, 1642, 3730, 1725],
  memory: [168, 225, 149, 386, 773, 449],
  idle: [0.5, 1, 0, 0, 1.5, 0],
  first: [156, 549, 692, 1555, 2976, 1789],
  step: [60, 29, 7.3, 33, 180, 369],
  prompt: [37_273, 107_986, 5329, 48_863, 30_600, 77_874],
  burstSeconds: [13.7, 1.28, 2.26, 2.67, 6.23, 4.53],
  burstCpu: [14.4, 2.0, 2.4, 3.3, 9.4, 5.2],
  burstStall: [404, 1068, 600, 2148, 1223, 549],
  burstMemory: [232, 572, 384, 652, 1260, 877],
  pacedEcho: [74, 43, 160, 10, 63, 47],
  pacedCpu: [5.4, 7.7, 9.9, 11.0, 17.1, 7.4],
  pacedWritten: [2935, 267, 2545, 7299, 2466, 638],
  longCpu: [9.6, 8.3, 4.6, 8.9, 57, 28],
  longEarly: [148, 220, 152, 259, 660, 653],
  longLate: [153, 335, 365, 976, 897, 848],
  longFirst: [49, 25, 4.2, 13, 163, 102],
  longLast: [50, 17, 8.8, 17, 131, 52],
  resume: [76, 644, 726, 1972, 3778, 1775],
  killed: [256, 571, 755, 1910, 2801, 1866],
  faults: [5, 6, 5, 4, 5, 4],
};
