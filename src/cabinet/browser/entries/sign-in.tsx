import '../../design/index.css';
import '../../design/sign-in.css';
import { render } from 'preact';
import { SignIn } from '../sign-in/sign-in.tsx';

const place = document.getElementById('app');
if (place) {
  place.replaceChildren();
  render(<SignIn />, place);
}
