import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { sizeText } from '../../text/formatting.ts';
import { comparisonLabel } from '../../text/interface.ts';
import { useBlobUrl } from './blob-url.ts';
import { framesText, qualityText, type Result, typeText } from './result.ts';
import { fitted, panned, placed, type StagePoint, type View, zoomed } from './view.ts';

/** The width that both labels need, in CSS pixels. */
const tagsWidth = 280;

/** Distance of one arrow key press, in CSS pixels. */
const arrowStep = 40;

interface StageSize {
  readonly width: number;
  readonly height: number;
}

/** Shows an image before and after in the same place, with a divider; mouse, touch and keys zoom and move it. */
export function Stage({
  file,
  query,
  result,
  scrollsPage = false,
}: {
  file: File;
  /** The options that produced the result. */
  query: string | null;
  result: Result;
  /** Whether the stage is part of a page, so that wheel and finger scroll the page while the whole image is visible. */
  scrollsPage?: boolean;
}) {
  const { width, height, bytesBefore, bytesAfter, type, quality, score, frames } = result;
  const image = { width, height };
  // Animations have to start together: each new result restarts the original, and both are shown once they are loaded.
  const before = useBlobUrl(file, result.blob);
  const after = useBlobUrl(result.blob);
  const [loaded, setLoaded] = useState<readonly string[]>([]);
  const isAwaited =
    frames !== null && [before, after].some((url) => url === null || !loaded.includes(url));
  const element = useRef<HTMLDivElement>(null);
  const [stage, setStage] = useState<StageSize | null>(null);
  const [view, setView] = useState<View | null>(null);
  const [at, setAt] = useState(50);
  const [isFlipped, setFlipped] = useState(false);
  const [undecodable, setUndecodable] = useState<readonly string[]>([]);
  const isUndecodable = [before, after].some((url) => url !== null && undecodable.includes(url));
  const pointers = useRef(new Map<number, StagePoint>());

  useLayoutEffect(() => {
    const target = element.current;
    if (!target) return;
    const measure = () => setStage({ width: target.clientWidth, height: target.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(target);
    return () => observer.disconnect();
  }, []);
  // A result with other dimensions resets the view.
  useLayoutEffect(() => {
    if (stage) setView(fitted({ width, height }, stage));
  }, [stage?.width, stage?.height, width, height]);

  const change = (next: (view: View, stage: StageSize) => View) =>
    stage && setView((now) => next(now ?? fitted(image, stage), stage));
  const zoomTo = (scale: number, point?: StagePoint) =>
    change((now, size) => zoomed(now, scale, image, size, point));
  const zoomBy = (factor: number, point?: StagePoint) =>
    change((now, size) => zoomed(now, now.scale * factor, image, size, point));
  const panBy = (x: number, y: number) => change((now, size) => panned(now, { x, y }, image, size));
  const fitImage = () => change((_, size) => fitted(image, size));

  /** The position of an event relative to the middle of the stage. */
  function pointOf(event: MouseEvent): StagePoint {
    const box = element.current?.getBoundingClientRect();
    if (!box) return { x: 0, y: 0 };
    return {
      x: event.clientX - box.left - box.width / 2,
      y: event.clientY - box.top - box.height / 2,
    };
  }

  function grab(event: PointerEvent) {
    element.current?.setPointerCapture(event.pointerId);
    pointers.current.set(event.pointerId, pointOf(event));
  }

  function drag(event: PointerEvent) {
    const from = pointers.current.get(event.pointerId);
    if (!from) return;
    const to = pointOf(event);
    const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1];
    pointers.current.set(event.pointerId, to);
    if (other) {
      const [oldDistance, newDistance] = [distance(from, other), distance(to, other)];
      const middle = { x: (to.x + other.x) / 2, y: (to.y + other.y) / 2 };
      if (oldDistance > 0) zoomBy(newDistance / oldDistance, middle);
      panBy((to.x - from.x) / 2, (to.y - from.y) / 2);
    } else panBy(to.x - from.x, to.y - from.y);
  }

  const release = (event: PointerEvent) => pointers.current.delete(event.pointerId);

  function moveDivider(event: PointerEvent) {
    if (!stage || event.buttons === 0) return;
    const share = (pointOf(event).x + stage.width / 2) / stage.width;
    setAt(Math.round(1000 * Math.min(1, Math.max(0, share))) / 10);
  }

  function press(event: KeyboardEvent) {
    // What the browser does with them goes first, such as its own zoom.
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isOnDivider = (event.target as HTMLElement).classList.contains('viewer-divider');
    const { key } = event;
    const arrow = {
      ArrowLeft: [1, 0],
      ArrowRight: [-1, 0],
      ArrowUp: [0, 1],
      ArrowDown: [0, -1],
    }[key];
    if (isOnDivider && arrow) {
      const [toLeft = 0, up = 0] = arrow;
      setAt((share) => Math.min(100, Math.max(0, share + 2 * (up - toLeft))));
    } else if (isOnDivider && key === 'Home') setAt(0);
    else if (isOnDivider && key === 'End') setAt(100);
    else if (arrow) panBy(arrowStep * (arrow[0] ?? 0), arrowStep * (arrow[1] ?? 0));
    else if (key === '0') fitImage();
    else if (key === '1') zoomTo(1);
    else if (key === '2') zoomTo(2);
    else if (key === '+' || key === '=') zoomBy(1.5);
    else if (key === '-') zoomBy(1 / 1.5);
    else if (key === ' ') setFlipped(true);
    else return;
    event.preventDefault();
  }

  const isFitted = view !== null && stage !== null && view.scale <= fitted(image, stage).scale;
  const place = view && stage && placed(view, image, stage);
  // The visible part of the image; it is clipped by the stage if the image is larger.
  const visible = place &&
    stage && {
      left: Math.max(0, place.left),
      top: Math.max(0, place.top),
      right: Math.max(0, stage.width - place.left - place.width),
      bottom: Math.max(0, stage.height - place.top - place.height),
    };
  const hasTags =
    visible !== null && stage !== null && stage.width - visible.left - visible.right >= tagsWidth;
  const split = stage ? (at / 100) * stage.width : 0;
  const scaleText = view ? `${Math.round(view.scale * 100)}%` : '';
  return (
    <>
      <div class="viewer-head">
        <strong class="viewer-name">
          <bdi>{file.name}</bdi>
        </strong>
        <span class="soft">
          {typeText(type)}, {width} × {height},{' '}
          {frames !== null && `${framesText(frames, query)}, `}
          {qualityText(quality)}
          {score !== null && `, score ${score}`}
        </span>
        <span class="cluster viewer-zoom">
          <output aria-label="Scale">{scaleText}</output>
          <button class="button small" type="button" aria-pressed={isFitted} onClick={fitImage}>
            Fit
          </button>
          {[1, 2].map((scale) => (
            <button
              key={scale}
              class="button small"
              type="button"
              aria-pressed={!isFitted && view?.scale === scale}
              onClick={() => zoomTo(scale)}
            >
              {100 * scale}%
            </button>
          ))}
        </span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: no element is a pane that pans */}
      <div
        class={`viewer-stage ${view && view.scale >= 2 ? 'sharp' : ''} ${scrollsPage && isFitted ? 'scrolls-page' : ''}`}
        ref={element}
        role="group"
        aria-label={`${scaleText}. Arrow keys move the image, plus and minus zoom, and the space bar shows the original while it is held.`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys move what is on it
        tabIndex={0}
        onKeyDown={press}
        onKeyUp={(event) => event.key === ' ' && setFlipped(false)}
        onFocusOut={() => setFlipped(false)}
        onPointerDown={grab}
        onPointerMove={drag}
        onPointerUp={release}
        onPointerCancel={release}
        onWheel={(event) => {
          // A pinch on a touchpad arrives as a wheel event with the control key.
          if (scrollsPage && !event.ctrlKey && !event.metaKey) return;
          event.preventDefault();
          zoomBy(Math.exp(-event.deltaY / 400), pointOf(event));
        }}
        onDblClick={(event) => zoomTo(view && view.scale < 1 ? 1 : 2, pointOf(event))}
      >
        {isUndecodable && (
          <p class="notice">
            This browser can’t display one of the two images. The file itself is fine.
          </p>
        )}
        {place && before && after && !isUndecodable && (
          <>
            <div
              class="viewer-half"
              style={{ clipPath: isFlipped ? 'none' : `inset(0 calc(100% - ${split}px) 0 0)` }}
            >
              <img
                key={before}
                src={before}
                alt={`${file.name}, before`}
                draggable={false}
                style={{ ...inPixels(place), visibility: isAwaited ? 'hidden' : 'visible' }}
                onLoad={() => setLoaded((urls) => [...urls, before])}
                onError={() => setUndecodable((urls) => [...urls, before])}
              />
            </div>
            <div
              class="viewer-half"
              hidden={isFlipped}
              style={{ clipPath: `inset(0 0 0 ${split}px)` }}
            >
              <img
                key={after}
                src={after}
                alt={`${file.name}, after`}
                draggable={false}
                style={{ ...inPixels(place), visibility: isAwaited ? 'hidden' : 'visible' }}
                onLoad={() => setLoaded((urls) => [...urls, after])}
                onError={() => setUndecodable((urls) => [...urls, after])}
              />
            </div>
            {hasTags && (
              <span class="tag before-tag" style={corner(visible, 'left')}>
                Before: {sizeText(bytesBefore)}
              </span>
            )}
            {hasTags && !isFlipped && (
              <span class="tag after-tag" style={corner(visible, 'right')}>
                After: {sizeText(bytesAfter)}
              </span>
            )}
            {/* Not taken away while the original is shown: it may have the focus. */}
            <div
              class="viewer-divider"
              role="slider"
              tabIndex={0}
              aria-label={comparisonLabel}
              aria-valuemin={0}
              aria-valuemax={100}
              aria-valuenow={Math.round(at)}
              aria-valuetext={`${Math.round(at)}% original`}
              style={{
                opacity: isFlipped ? 0 : 1,
                left: `${split}px`,
                top: `${visible?.top ?? 0}px`,
                bottom: `${visible?.bottom ?? 0}px`,
              }}
              onPointerDown={(event) => {
                event.stopPropagation();
                event.currentTarget.setPointerCapture(event.pointerId);
              }}
              onPointerMove={moveDivider}
            />
          </>
        )}
      </div>
    </>
  );
}

/** A position slightly inside a lower corner of the visible part of the image. */
function corner(visible: Insets | null, side: 'left' | 'right') {
  const inset = 12;
  return {
    [side]: `${(visible?.[side] ?? 0) + inset}px`,
    bottom: `${(visible?.bottom ?? 0) + inset}px`,
  };
}

/** Distances from the edges of the stage, in CSS pixels. */
interface Insets {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

function inPixels({ left, top, width, height }: ReturnType<typeof placed>) {
  return { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` };
}

function distance(one: StagePoint, other: StagePoint): number {
  return Math.hypot(one.x - other.x, one.y - other.y);
}
