import { useEffect, useRef, useState } from 'preact/hooks';
import type { Failure } from '../api/failure.ts';
import { type LabelComplaints, type Labels, labelComplaints, serviceComplaints } from './labels.ts';

/** What is typed as name and comment, and what is wrong with it. */
export function useLabelForm(initial: Labels, failure: Failure | null) {
  const [labels, setLabels] = useState(initial);
  const [own, setOwn] = useState<LabelComplaints>({});
  const nameField = useRef<HTMLInputElement>(null);
  const complaints = { ...serviceComplaints(failure), ...own };
  const isComplaining = Object.values(complaints).some(Boolean);

  useEffect(() => {
    if (!isComplaining) return;
    const form = nameField.current?.form;
    form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [failure, own]);

  /** Whether it can be sent; if not, it says at the field why. */
  function isSound(): boolean {
    const found = labelComplaints(labels);
    setOwn(found);
    return Object.keys(found).length === 0;
  }

  function change(next: Labels) {
    setLabels(next);
    setOwn({});
  }

  // complaints that stand at a field need no notice besides
  const notice =
    failure !== null && Object.keys(serviceComplaints(failure)).length === 0 ? failure : null;
  return { labels, change, complaints, isSound, nameField, notice };
}
