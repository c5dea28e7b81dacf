// The only script of the Worker's public pages, which are complete without it: it opens and sends the newsletter dialog.
import './public.css'

const dialog = find<HTMLDialogElement>(document, '#newsletter')
const form = find<HTMLFormElement>(dialog, 'form')
const email = find<HTMLInputElement>(form, 'input')
const submit = find<HTMLButtonElement>(form, 'button.action')
const problem = find(form, '#newsletter-problem')
const notice = find<HTMLElement>(document, '#notice')
const key = 'earshot-newsletter'
const shown_ms = 3000

email.addEventListener('input', () => check(false))
email.addEventListener('change', () => check(true))
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  if (findProblem(email.value.trim())) return check(true)
  submit.disabled = true
  try {
    await subscribe(email.value.trim())
    tell('Subscription proceed. Thank you !', false)
  } catch {
    tell('Unable to add to our newsletter', true)
  }
  dialog.close()
})
dialog.addEventListener('close', remember)
find(form, '[data-close]').addEventListener('click', () => dialog.close())

for (const link of document.querySelectorAll('[data-newsletter]'))
  link.addEventListener('click', (event) => {
    event.preventDefault()
    form.reset()
    problem.textContent = ''
    submit.disabled = true
    dialog.showModal()
  })
if (!isSeen()) dialog.showModal()

function find<Found extends Element = Element>(inside: ParentNode, selector: string) {
  const found = inside.querySelector<Found>(selector)
  if (!found) throw new Error(`No ${selector}`)
  return found
}

/** If nothing can be stored, the dialog never opens by itself. */
function isSeen() {
  try {
    return localStorage.getItem(key) !== null
  } catch {
    return true
  }
}

function remember() {
  try {
    localStorage.setItem(key, 'seen')
  } catch {}
}

function findProblem(value: string) {
  if (value === '') return 'E-mail is required'
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) ? '' : 'E-mail must be valid'
}

function check(isTold: boolean) {
  const found = findProblem(email.value.trim())
  submit.disabled = found !== ''
  if (!isTold && problem.textContent === '') return
  problem.textContent = found
  email.setAttribute('aria-invalid', String(found !== ''))
}

async function subscribe(address: string) {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ email: address })
  const response = await fetch('/api/alerts/newsletter', { method: 'POST', headers, body })
  const answer = await response.json()
  if (answer.status !== 'success') throw new Error(answer.message)
}

function tell(text: string, isError: boolean) {
  notice.textContent = text
  notice.classList.toggle('error', isError)
  notice.hidden = false
  setTimeout(() => {
    notice.hidden = true
  }, shown_ms)
}
