// The engine as a program: a question a line on stdin, an answer a line on stdout; for the tests that compare
// it with what the page says. Line breaks within an answer (a plan.json has some) are written as spaces,
// which no JSON text can tell apart.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <string>

#include "engine.h"

int main() {
  worktop::page::Engine engine([](const worktop::solver::Progress&) { return true; });
  std::string question;
  while (std::getline(std::cin, question)) {
    std::string answer = engine.answer(question);
    std::ranges::replace(answer, '\n', ' ');
    std::puts(answer.c_str());
    std::fflush(stdout);
  }
  return 0;
}
