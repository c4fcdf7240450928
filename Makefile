#   make bench                  measure every chapter and draw the speedup chart
#   make test                   every test that this machine can run
#   make build                  all programs, into build/bin
#   make run CHAPTER=03         run one chapter, or an aside by its name (ARGS="--size 1024 --check")
#   make diff FROM=02 TO=03     what one chapter adds to another; without FROM how much each step adds
#   make new CHAPTER=10_mine FROM=09    a chapter of your own, begun as a copy of another
#   make profile CHAPTER=03     what the hardware counts, in the page's words (ARGS="--variant NAME")
#   make copy CHAPTER=09        a chapter's kernel as one CUDA file (DEST=~/mygemm, WITH_CPU=1)
#   make pytorch                every_shape as a package for PyTorch: built and tested
#   make gallery                planted bugs, and what the CPU backend says (ARGS="NAME")
#   make bugs CHAPTER=07        a bug planted in a copy of the kernel, to be found (ARGS=1, 2, ...)
#   make plots                  redraw figures and tables from the recorded results
#   make docs-check             every command of the pages, as printed, in a fresh clone (long)
#   make gpu-check              everything that needs the GPU: tests, sanitizers, soak, copies
#   make fuzz                   over 100,000 inputs for every program, with sanitizers
#   make record                 measure for plots/results (what README and pages show)
#   make format                 clang-format

BUILD ?= build
JOBS ?= $(shell nproc)

# The folder of a chapter given by number or name, or of an aside given by name: $(call chapter,03) is
# 03_warptiling, $(call chapter,slice_k) is 03_warptiling/slice_k. A program has the folder's own name.
folders := $(patsubst %/chapter.cu,%,$(wildcard [0-9][0-9]_*/chapter.cu [0-9][0-9]_*/*/chapter.cu))
chapter = $(firstword $(filter $(1) $(1)_% %/$(1),$(folders)))
folder := $(call chapter,$(CHAPTER))
name := $(notdir $(folder))

.PHONY: help bench test programs run diff new profile copy pytorch gallery bugs plots docs-check gpu-check \
  fuzz record format build setup
help:
	@sed -n 's/^#   //p' Makefile

setup:
	@common/tools/setup.sh

$(BUILD)/CMakeCache.txt: | setup
	@cmake --log-level=NOTICE -S . -B $(BUILD) $(CMAKE_ARGS) >/dev/null

build: setup $(BUILD)/CMakeCache.txt
	@common/tools/build_target.sh $(BUILD) $(JOBS) all slow_cuda

bench: setup $(BUILD)/CMakeCache.txt
	@common/tools/bench.sh $(BUILD) $(JOBS) $(ARGS)

# What takes minutes to compile for CUDA (every_shape) is left out where there is no GPU to run it.
test: setup $(BUILD)/CMakeCache.txt
	@common/tools/build_target.sh $(BUILD) $(JOBS) all $$(nvidia-smi -L 2>/dev/null | grep -q GPU && echo slow_cuda)
	@ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS) $(ARGS)

programs: setup $(BUILD)/CMakeCache.txt
	@test -n "$(name)" || { echo "usage: make $(MAKECMDGOALS) CHAPTER=03"; exit 2; }
	@common/tools/build_target.sh $(BUILD) $(JOBS) $(name)_programs

run: programs
	@program=$(BUILD)/bin/$(name); test -x $$program || program=$${program}_cpu; $$program $(ARGS)

diff:
	@common/tools/diff.sh $(if $(FROM)$(TO),"$(call chapter,$(FROM))" "$(call chapter,$(TO))")

new:
	@common/tools/new_chapter.sh "$(CHAPTER)" "$(call chapter,$(FROM))"

profile: programs
	@python3 common/tools/measured.py profile $(BUILD) $(name) $(ARGS)

copy:
	@common/tools/copy.sh "$(folder)" "$(DEST)"

pytorch: setup $(BUILD)/CMakeCache.txt
	@common/tools/pytorch.sh $(BUILD) $(ARGS) || test $$? = 77

gallery: setup $(BUILD)/CMakeCache.txt
	@common/tools/build_target.sh $(BUILD) $(JOBS) gallery
	@$(BUILD)/bin/gallery $(ARGS)
	@test -n "$(ARGS)" || { $(BUILD)/bin/gallery --markdown >$(BUILD)/gallery.md && \
	  common/tools/python.sh tables.py --gallery $(BUILD)/gallery.md; }

bugs: setup $(BUILD)/CMakeCache.txt
	@common/tools/bugs.sh $(BUILD) $(JOBS) "$(folder)" $(ARGS)

plots:
	@common/tools/python.sh make.py $(addprefix --layout-tool ,$(wildcard $(BUILD)/bin/layout))

# ARGS=--gpu: those that need a GPU, here; ARGS=--quick: as `make test` does it.
docs-check: build
	@python3 common/test/docs/commands.py $(BUILD) $(or $(ARGS),--full)

gpu-check record: build
	@common/tools/$(subst -,_,$@).sh $(BUILD)

fuzz: setup $(BUILD)/CMakeCache.txt
	@common/test/fuzz/run.sh $(BUILD)

format:
	@git ls-files '*.cu' '*.cuh' '*.hpp' '*.cpp' | xargs clang-format -i
