import { device } from './device.ts';
import { JobStore } from './job-store.ts';
import { askBeforeLoss, Workbench } from './workbench.tsx';

/** Outlives the page, so that work goes on, and results are still available when the user returns. */
const store = new JobStore(device);
askBeforeLoss(store);

/** The page on which users optimize their own images. */
export function TryItPage() {
  return (
    <div class="stack">
      <h1>Try it</h1>
      <Workbench store={store} />
    </div>
  );
}
