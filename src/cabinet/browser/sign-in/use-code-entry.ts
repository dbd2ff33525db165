import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useAction } from '../api/use-action.ts';
import { digitsOf, pauseBeforeSending, refusalWords, wholeCode } from './typed-code.ts';

/** The code as it is typed, and its trial: with the button, or by itself once it is whole. */
export function useCodeEntry(email: string, onSignedIn: () => void) {
  const { isBusy, failure, run, forget } = useAction();
  const [typed, setTyped] = useState('');
  const [pause, setPause] = useState<number | null>(null);
  const [refused, setRefused] = useState<readonly string[]>([]);
  const [isIncomplete, setIncomplete] = useState(false);
  const [isDone, setDone] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const sent = useRef('');

  async function verify() {
    if (isBusy || isDone) return;
    const code = wholeCode(typed);
    setPause(null);
    setIncomplete(code === null);
    if (code === null) {
      forget();
      field.current?.select();
      return;
    }
    sent.current = code;
    if ((await run('POST', '/v1/auth/verify-code', { email, code })) === null) return;
    setDone(true);
    onSignedIn();
  }

  useEffect(() => {
    if (pause === null || isBusy) return;
    const timer = setTimeout(verify, pause);
    return () => clearTimeout(timer);
  }, [pause, isBusy, typed]);

  // at once: how many were refused decides what is said
  useLayoutEffect(() => {
    if (failure?.code !== 'invalid_code') return;
    const code = sent.current;
    setRefused((codes) => [...codes, code]);
    const now = digitsOf(typed) ?? '';
    // six of twelve digits were tried while the others were being typed
    if (now.length > code.length && now.startsWith(code)) forget();
    else field.current?.select();
  }, [failure]);

  function type(text: string) {
    setPause(pauseBeforeSending(typed, text, refused));
    setTyped(text);
    setIncomplete(false);
    if (!isBusy) forget();
  }

  /** For another code. */
  function reset() {
    setPause(null);
    setTyped('');
    setRefused([]);
    setIncomplete(false);
    forget();
    field.current?.focus();
  }

  const isWrong = failure?.code === 'invalid_code';
  const complaint = isIncomplete
    ? 'The code is 6 digits long, or 12. It is in the mail.'
    : isWrong
      ? refusalWords(failure.message, refused)
      : undefined;
  const notice = isWrong ? null : failure;
  return { field, typed, type, verify, reset, complaint, notice, isBusy: isBusy || isDone, isDone };
}
