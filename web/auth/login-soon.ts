import { useTimeout } from '@mantine/hooks'
import { useNavigate } from 'react-router-dom'

const shown_ms = 3000

export function useLoginSoon() {
  const navigate = useNavigate()
  useTimeout(() => void navigate('/auth', { replace: true }), shown_ms, { autoInvoke: true })
}
