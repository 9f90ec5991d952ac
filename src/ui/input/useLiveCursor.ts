import { type DOMElement, useCursor } from 'ink';
import { type RefObject, useLayoutEffect, useState } from 'react';

/**
 * Places the terminal's own cursor (where input methods compose) at a cell of an element, or hides it.
 *
 * Ink needs coordinates in the whole frame. They are known only after layout, and change without a render when
 * something above the element grows, so the position is an object with getters that are read when the frame is written.
 */
export function useLiveCursor(
  element: RefObject<DOMElement | null>,
  cell: { readonly x: number; readonly y: number } | undefined,
): void {
  const { setCursorPosition } = useCursor();
  // The first frame is written before React has attached the element.
  const [isAttached, setIsAttached] = useState(false);
  useLayoutEffect(() => setIsAttached(true), []);
  setCursorPosition(
    isAttached && cell
      ? {
          get x() {
            return cell.x + sumToRoot(element.current, (node) => node.yogaNode?.getComputedLeft());
          },
          get y() {
            return cell.y + sumToRoot(element.current, (node) => node.yogaNode?.getComputedTop());
          },
        }
      : undefined,
  );
}

function sumToRoot(element: DOMElement | null, offsetOf: (node: DOMElement) => number | undefined): number {
  let sum = 0;
  for (let node: DOMElement | null | undefined = element; node; node = node.parentNode) {
    sum += offsetOf(node) ?? 0;
  }
  return sum;
}
