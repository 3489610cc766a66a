// Streamlit calls this at mount and again whenever the data or the theme changes.

const rooms = new WeakMap();

export default function ({ data, parentElement: root, setStateValue }) {
  let room = rooms.get(root);
  if (room !== undefined && room.parts.bench !== root.querySelector('[data-part="bench"]')) {
    room.close();
    room = undefined;
  }
  if (room === undefined) {
    room = new Room(root);
    rooms.set(root, room);
  }
  if (data) room.receive(JSON.parse(new TextDecoder().decode(data)), talk => setStateValue("talk", talk));
  // Streamlit also calls this for a run that newer data overtook: only a page that is gone ends the room.
  return () => setTimeout(() => root.isConnected || room.close());
}
