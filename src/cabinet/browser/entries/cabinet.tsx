import '../../design/index.css';
import { render } from 'preact';
import { Cabinet } from '../shell/cabinet.tsx';

const place = document.getElementById('app');
if (place) {
  place.replaceChildren();
  render(<Cabinet />, place);
}
