import { render } from 'preact';
import { App } from './app.tsx';
import { PageModel } from './page-model.ts';
import { TokenQuestion } from './token-question.ts';

const question = new TokenQuestion();
const model = new PageModel((wasWrong) => question.ask(wasWrong));
const place = document.querySelector('#page');
if (place !== null) render(<App model={model} question={question} />, place);
void model.start();
