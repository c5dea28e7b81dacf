export const toPerson = ({ user_id, username }: { user_id: number | null; username: string | null }) =>
  user_id === null || username === null ? null : { id: user_id, name: username }
