import { ActionIcon } from '@mantine/core'
import { IconLogout } from '@tabler/icons-react'
import { useNavigate } from 'react-router-dom'
import { signOut } from '../session/sign-in'

export function SignOutButton() {
  const navigate = useNavigate()
  const leave = async () => {
    await navigate('/auth')
    await signOut()
  }
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label="Sign out"
      title="Sign out"
      onClick={() => void leave()}
    >
      <IconLogout size={18} aria-hidden />
    </ActionIcon>
  )
}
