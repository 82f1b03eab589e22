// Pinocchio's articulated-body algorithm on a robot and states from standard input; `pinocchio_aba.py` compiles and calls it.
// Prints the least processor seconds of a pass over all states, then the accelerations of each state in a line.
#include <pinocchio/fwd.hpp>

#include <pinocchio/algorithm/aba.hpp>

#include <cmath>
#include <ctime>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

namespace pin = pinocchio;

static double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}

template <typename Array>
static Array read(Array array) {
  for (Eigen::Index k = 0; k < array.size(); ++k) std::cin >> array(k);
  return array;
}

int main() {
  std::size_t links, states, passes;
  std::cin >> links >> states >> passes;
  pin::Model model;
  model.gravity.linear(read(Eigen::Vector3d()));
  for (std::size_t i = 0; i < links; ++i) {
    std::string kind;
    int parent;
    double mass;
    std::cin >> parent >> kind;
    const Eigen::Matrix3d turn = read(Eigen::Matrix3d()).transpose();  // read by columns, given by rows
    const Eigen::Vector3d place = read(Eigen::Vector3d());
    std::cin >> mass;
    const Eigen::Vector3d centre = read(Eigen::Vector3d());
    const Eigen::Matrix3d inertia = read(Eigen::Matrix3d());
    const pin::SE3 at(turn, place);
    const auto to = static_cast<pin::JointIndex>(parent + 1);
    const std::string name = "joint" + std::to_string(i);
    const auto joint = kind == "x"   ? model.addJoint(to, pin::JointModelRX(), at, name)
                       : kind == "y" ? model.addJoint(to, pin::JointModelRY(), at, name)
                       : kind == "z" ? model.addJoint(to, pin::JointModelRZ(), at, name)
                                     : model.addJoint(to, pin::JointModelFreeFlyer(), at, name);
    model.appendBodyToJoint(joint, pin::Inertia(mass, centre, inertia), pin::SE3::Identity());
  }
  pin::Data data(model);
  std::vector<Eigen::VectorXd> q, v, tau, a(states);
  for (std::size_t k = 0; k < states; ++k) {
    q.push_back(read(Eigen::VectorXd(model.nq)));
    v.push_back(read(Eigen::VectorXd(model.nv)));
    tau.push_back(read(Eigen::VectorXd(model.nv)));
  }
  double best = INFINITY;
  for (std::size_t pass = 0; pass < passes; ++pass) {
    const double start = processor_seconds();
    for (std::size_t k = 0; k < states; ++k) a[k] = pin::aba(model, data, q[k], v[k], tau[k], pin::Convention::LOCAL);
    best = std::min(best, processor_seconds() - start);
  }
  std::cout << std::setprecision(17) << best << "\n";
  for (const auto &one : a) std::cout << one.transpose() << "\n";
}
