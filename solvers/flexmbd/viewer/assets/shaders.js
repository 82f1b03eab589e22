// Shaders: solids by instances, sections swept along lines, lines of a width in pixels.

const SHADE = `
uniform float planar; uniform vec3 paper;
vec3 shaded(vec3 n, vec3 color, float rim) {
  n = normalize(n);
  if (planar > 0.5) return mix(color, paper, rim > 0.5 && n.z < 0.45 ? 0.0 : 0.6);
  float lit = 0.42 + 0.5 * max(dot(n, vec3(0.35, 0.55, 0.757)), 0.0) + 0.16 * max(dot(n, vec3(-0.6, -0.2, 0.77)), 0.0);
  return color * lit;
}`;

// What is beyond a section is cut away; of what is cut the inner side is seen, hatched, as ground is in a drawing.
const INKED = `#version 300 es
precision highp float;
in vec3 n; in vec4 c; in vec3 place_; flat in float slant_;
uniform float rim; uniform vec4 section; uniform float dense; out vec4 ink;
${SHADE}
float stripe() { // lines 7 pixels apart
  return 1.0 - smoothstep(0.3, 1.1, 7.0 * abs(fract((gl_FragCoord.x + slant_ * gl_FragCoord.y) / (9.9 * dense)) - 0.5));
}
void main() {
  if (dot(section.xyz, place_) > section.w) discard;
  vec3 seen = shaded(n, c.rgb, rim);
  if (planar > 0.5 && slant_ != 0.0) seen = mix(mix(c.rgb, paper, 0.85), mix(c.rgb, paper, 0.15), stripe());
  if (!gl_FrontFacing && dot(section.xyz, section.xyz) > 0.5) seen = mix(mix(c.rgb, paper, 0.5), 0.6 * c.rgb, stripe());
  ink = vec4(seen, c.a);
}`;

const SOLID = {
  vertex: `#version 300 es
in vec3 position; in vec3 normal; in mat4 place; in vec4 color; in float slant;
uniform mat4 viewMatrix; uniform mat4 projectionMatrix; uniform float planar;
out vec3 n; out vec4 c; out vec3 place_; flat out float slant_;
void main() {
  vec4 w = place * vec4(position, 1.0);
  mat3 m = mat3(place);
  n = mat3(viewMatrix) * (m * (normal / vec3(dot(m[0], m[0]), dot(m[1], m[1]), dot(m[2], m[2]))));
  if (planar > 0.5) w.z = place[3].z + 1e-4 * (w.z - place[3].z);
  c = color; place_ = w.xyz; slant_ = slant;
  gl_Position = projectionMatrix * viewMatrix * w;
}`,
  fragment: INKED,
};

// A piece of a line: places, slopes and directions across at both ends; cubic shape functions between.
const SWEPT = {
  vertex: `#version 300 es
in vec3 position; in vec3 normal; // x: place along the piece; y, z: place on the section
in vec3 p0; in vec3 m0; in vec3 y0; in vec3 p1; in vec3 m1; in vec3 y1; in vec2 half_; in vec4 color; in float slant;
uniform mat4 viewMatrix; uniform mat4 projectionMatrix; uniform float planar;
out vec3 n; out vec4 c; out vec3 place_; flat out float slant_;
void main() {
  float x = position.x, y = 1.0 - x;
  vec3 at = y * y * (1.0 + 2.0 * x) * p0 + x * y * y * m0 + x * x * (3.0 - 2.0 * x) * p1 - x * x * y * m1;
  vec3 t = normalize(6.0 * x * y * (p1 - p0) + y * (1.0 - 3.0 * x) * m0 + x * (3.0 * x - 2.0) * m1);
  vec3 a = mix(y0, y1, x);
  a = normalize(a - dot(a, t) * t);
  vec3 b = cross(t, a);
  vec4 w = vec4(at + position.y * half_.x * a + position.z * half_.y * b, 1.0);
  n = mat3(viewMatrix) * (normal.y / half_.x * a + normal.z / half_.y * b);
  if (planar > 0.5) w.z = 1e-4 * w.z;
  c = color; place_ = w.xyz; slant_ = slant;
  gl_Position = projectionMatrix * viewMatrix * w;
}`,
  fragment: INKED,
};

const LINE = {
  vertex: `#version 300 es
in vec2 position; in vec3 start; in vec3 end; in vec4 color; in float width;
uniform mat4 viewMatrix; uniform mat4 projectionMatrix; uniform vec2 pixels;
out vec2 q; flat out float len; flat out float half_; out vec4 c;
void main() {
  vec4 a = viewMatrix * vec4(start, 1.0), b = viewMatrix * vec4(end, 1.0);
  float near = projectionMatrix[3][3] > 0.5 ? 1e9 : -1e-3; // an orthographic camera sees all
  if (a.z > near && b.z < near) a = mix(a, b, (a.z - near) / (a.z - b.z));
  if (b.z > near && a.z < near) b = mix(b, a, (b.z - near) / (b.z - a.z));
  a = projectionMatrix * a; b = projectionMatrix * b;
  vec2 s = 0.5 * pixels * a.xy / a.w, e = 0.5 * pixels * b.xy / b.w, d = e - s;
  len = length(d);
  d = len > 1e-4 ? d / len : vec2(1.0, 0.0);
  half_ = 0.5 * width;
  float room = half_ + 1.0;
  q = vec2(position.x > 0.0 ? len + room : -room, position.y * room);
  vec2 at = s + q.x * d + q.y * vec2(-d.y, d.x);
  vec4 p = position.x > 0.0 ? b : a;
  c = color;
  gl_Position = vec4(at / (0.5 * pixels) * p.w, p.z - 1e-5 * p.w, p.w);
}`,
  fragment: `#version 300 es
precision highp float;
in vec2 q; flat in float len; flat in float half_; in vec4 c; out vec4 ink;
void main() {
  float off = length(vec2(q.x - clamp(q.x, 0.0, len), q.y));
  float seen = clamp(half_ + 0.5 - off, 0.0, 1.0) * c.a;
  if (seen <= 0.003) discard;
  ink = vec4(c.rgb, seen);
}`,
};
