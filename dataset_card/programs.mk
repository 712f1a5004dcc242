# make        compile every program with nvcc and run it, on a GPU
# make cpu    the same with a C++ compiler, without CUDA or a GPU
# -j N        N at a time; NVCC=, ARCH=, NVCCFLAGS=, CXX=, CXXFLAGS= to change what compiles

NVCC ?= nvcc
ARCH ?= sm_80
NVCCFLAGS ?= -O2 -std=c++17
CXXFLAGS ?= -O1 -std=c++17 -fno-strict-aliasing

SOURCES := $(wildcard */*/*.cu)

.PHONY: gpu cpu clean compiler
.DELETE_ON_ERROR:

gpu: $(SOURCES:%.cu=build/gpu/%.out)
	@$(call summary,build/gpu)

cpu: $(SOURCES:%.cu=build/cpu/%.out)
	@$(call summary,build/cpu)

# What a program prints, or the compiler's errors: FAIL is the last line of one that is not right.
build/gpu/%.out: %.cu | compiler
	@mkdir -p $(@D)
	@{ $(NVCC) $(NVCCFLAGS) -arch=$(ARCH) -o $(@:.out=) $< && $(@:.out=); } > $@ 2>&1 || echo "FAIL $<" >> $@

compiler:
	@command -v $(firstword $(NVCC)) > /dev/null || \
	  { echo "there is no $(NVCC): name it with NVCC=PATH, or run make cpu, which needs none" >&2; exit 2; }

build/cpu/%.out: %.cu cuda_on_cpu.h
	@mkdir -p $(@D)
	@{ $(CXX) $(CXXFLAGS) -x c++ -include cuda_on_cpu.h -o $(@:.out=) $< && $(@:.out=); } > $@ 2>&1 || echo "FAIL $<" >> $@

define summary
	failed=$$(find $(1) -name '*.out' -exec grep -l '^FAIL' {} + | wc -l); \
	passed=$$(find $(1) -name '*.out' -exec grep -l '^PASS' {} + | wc -l); \
	find $(1) -name '*.out' -exec grep -h '^FAIL .*\.cu' {} +; \
	echo "$$passed of $(words $(SOURCES)) programs pass"; \
	test $$failed -eq 0 && test $$passed -eq $(words $(SOURCES))
endef

clean:
	rm -rf build
