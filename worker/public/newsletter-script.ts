/** Opens on the first visit and remembers that it was closed; if nothing can be stored, it never opens by itself. One string of plain browser code, because the page's policy names its hash. */
export const newsletterScript = String.raw`
(() => {
  const dialog = document.getElementById('newsletter')
  const form = dialog.querySelector('form')
  const email = form.elements.email
  const submit = form.querySelector('button.action')
  const problem = document.getElementById('newsletter-problem')
  const notice = document.getElementById('notice')
  const key = 'earshot-newsletter'
  const shown_ms = 3000

  const isSeen = () => {
    try {
      return localStorage.getItem(key) !== null
    } catch {
      return true
    }
  }
  const remember = () => {
    try {
      localStorage.setItem(key, 'seen')
    } catch {
    }
  }
  const findProblem = (value) => {
    if (value === '') return 'E-mail is required'
    return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) ? '' : 'E-mail must be valid'
  }
  const tell = (text, isError) => {
    notice.textContent = text
    notice.classList.toggle('error', isError)
    notice.hidden = false
    setTimeout(() => (notice.hidden = true), shown_ms)
  }

  const check = (isTold) => {
    const found = findProblem(email.value.trim())
    submit.disabled = found !== ''
    if (!isTold && problem.textContent === '') return
    problem.textContent = found
    email.setAttribute('aria-invalid', String(found !== ''))
  }
  email.addEventListener('input', () => check(false))
  email.addEventListener('change', () => check(true))

  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (findProblem(email.value.trim())) return check(true)
    const body = JSON.stringify({ email: email.value.trim() })
    submit.disabled = true
    try {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch('/api/alerts/newsletter', { method: 'POST', headers, body })
      const answer = await response.json()
      if (answer.status !== 'success') throw new Error(answer.message)
      tell('Subscription proceed. Thank you !', false)
    } catch {
      tell('Unable to add to our newsletter', true)
    }
    dialog.close()
  })
  dialog.addEventListener('close', remember)
  form.querySelector('[data-close]').addEventListener('click', () => dialog.close())

  for (const link of document.querySelectorAll('[data-newsletter]'))
    link.addEventListener('click', (event) => {
      event.preventDefault()
      form.reset()
      problem.textContent = ''
      submit.disabled = true
      dialog.showModal()
    })
  if (!isSeen()) dialog.showModal()
})()
`
