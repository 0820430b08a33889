#version 300 es
precision highp float;
precision highp sampler3D;
in vec3 place;
in float height;
uniform sampler3D field;
uniform sampler2D axes;
uniform vec3 low, high;
uniform vec2 size;
uniform vec4 ink;
uniform float light;
out vec4 color;
void main() {
  if (any(lessThan(place, low)) || any(greaterThan(place, high))) discard;
  if (ink.a > 0.0) {
    color = ink;
    return;
  }
  vec2 s = place.xy / size;
  vec3 cell = vec3(texture(axes, vec2(s.x, 0.25)).r, texture(axes, vec2(s.y, 0.75)).r, height);
  color = vec4(texture(field, cell).rgb * light, 1);
}
