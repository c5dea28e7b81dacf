import { useTimeout } from '@mantine/hooks'
import { useNavigate } from 'react-router-dom'

const shown_ms = 3000

/** Leads to the login as soon as a message could be read. */
export function useLoginSoon() {
  const navigate = useNavigate()
  useTimeout(() => void navigate('/auth', { replace: true }), shown_ms, { autoInvoke: true })
}
