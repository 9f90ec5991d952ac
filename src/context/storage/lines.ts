/** Lines of UTF-8 text: line feeds, and one more when something follows the last of them. */
export function countLines(bytes: Uint8Array): number {
  const feeds = countLineFeeds(bytes);
  return bytes.length > 0 && bytes[bytes.length - 1] !== 10 ? feeds + 1 : feeds;
}

/** Line feeds in a piece of a text. */
export function countLineFeeds(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) count += 1;
  return count;
}
