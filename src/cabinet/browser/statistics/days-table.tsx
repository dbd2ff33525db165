import { useState } from 'preact/hooks';
import { countText, sizeText } from '../../text/sizes.ts';
import { dayText } from '../../text/times.ts';
import type { Statistics } from '../api/wire.ts';

/** Every day in figures, for whoever cannot use a plot or wants to know exactly. */
export function DaysTable({ days }: { days: Statistics['days'] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="all-days" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>All days as a table</summary>
      {isOpen && (
        <table class="table">
          <caption class="visually-hidden">Files and sizes by day, the newest first</caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              {['Files', 'In', 'Out', 'Saved'].map((name) => (
                <th key={name} scope="col" class="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map((day) => (
              <tr key={day.date} class={day.files === 0 ? 'soft' : undefined}>
                <th scope="row">{dayText(day.date)}</th>
                <td class="number">{countText(day.files)}</td>
                <td class="number">{sizeText(day.bytes_in)}</td>
                <td class="number">{sizeText(day.bytes_out)}</td>
                <td class="number">{sizeText(day.bytes_saved)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </details>
  );
}
