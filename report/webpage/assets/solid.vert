#version 300 es
in vec3 position;
in float level;
uniform vec3 focus;
uniform vec4 angles;
uniform vec3 scale;
uniform float stretch, lift, aside;
out vec3 place;
out float height;
void main() {
  vec3 p = (position - focus) * vec3(1, 1, stretch);
  float u = p.x * angles.x - p.y * angles.y, v = p.x * angles.y + p.y * angles.x;
  gl_Position = vec4(u * scale.x + aside, (v * angles.w + p.z * angles.z) * scale.y, (v * angles.z - p.z * angles.w) * scale.z - lift, 1);
  place = position;
  height = level;
}
