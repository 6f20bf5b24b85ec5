package dev.weir.benchmarks.sim;

import dev.weir.benchmarks.sim.Scenario.Cpu;
import dev.weir.benchmarks.sim.Scenario.Dependency;
import dev.weir.benchmarks.sim.Scenario.Mix;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** The scenarios by which limits are compared; the seed decides what is random in the server itself. */
final class Scenarios {
    private Scenarios() {}

    static List<Scenario> all(long seed) {
        return List.of(
                fifo("under_0.7x", 60, 500, 16, 20, Steps.always(560)),
                fifo("over_1.5x", 90, 250, 6, 20, Steps.always(450)),
                lognormal("over_4x_logn", 40, 600, 64, 50, 1, 5120),
                tiny(),
                uslThrash(),
                uslSoft(),
                capHalves(),
                cores(),
                dependencySlow(),
                dependencyBottleneck(),
                gcPauses(),
                coldStart(),
                retryStorm(),
                bursty(),
                heteroCost(),
                mixShift(),
                fifo("long_1.2x", 240, 600, 40, 50, Steps.always(960)),
                lognormal("low_rate", 300, 4000, 4, 500, 0.6, 12.8),
                diurnal(),
                noisyNeighbour(seed),
                priorities(),
                fifo("flash_10x", 60, 250, 24, 20, Steps.between(600, 20, 12_000, 40)));
    }

    private static Scenario fifo(
            String name, double seconds, double timeout, int workers, double meanMillis, Steps arrivals) {
        return Scenario.plain(
                name, seconds, timeout, arrivals, List.of(Work.exponential(1, meanMillis)), Cpu.workers(workers));
    }

    private static Scenario lognormal(
            String name, double seconds, double timeout, int workers, double meanMillis, double sigma, double rate) {
        List<Work> work = List.of(new Work(1, "lognormal", meanMillis, sigma));
        return Scenario.plain(name, seconds, timeout, Steps.always(rate), work, Cpu.workers(workers));
    }

    private static Scenario tiny() {
        List<Work> work = List.of(new Work(1, "constant", 5, 0));
        return Scenario.plain("tiny_det_2x", 60, 50, Steps.always(800), work, Cpu.workers(2));
    }

    private static Scenario uslThrash() {
        Cpu cpu = new Cpu(true, Steps.always(16), Steps.always(1), 0, 4e-4);
        return Scenario.plain("usl_thrash", 90, 400, Steps.always(1.3 * 730), List.of(Work.exponential(1, 20)), cpu);
    }

    private static Scenario uslSoft() {
        Cpu cpu = new Cpu(true, Steps.always(1e9), Steps.always(1), 0.05, 5e-4);
        double peak = 44 / (1 + 0.05 * 43 + 5e-4 * 44 * 43) * 50;
        return Scenario.plain("usl_soft", 90, 600, Steps.always(1.5 * peak), List.of(Work.exponential(1, 20)), cpu)
                .with(it -> it.knee = Steps.always(44));
    }

    private static Scenario capHalves() {
        Cpu cpu = new Cpu(false, Steps.always(32), Steps.between(1, 30, 0.5, 70), 0, 0);
        return Scenario.plain("cap_halves", 110, 400, Steps.always(1360), List.of(Work.exponential(1, 20)), cpu);
    }

    private static Scenario cores() {
        Cpu cpu = new Cpu(true, Steps.between(8, 40, 32, 80), Steps.always(1), 0, 0);
        return Scenario.plain("cores_8_32_8", 120, 400, Steps.always(1440), List.of(Work.exponential(1, 20)), cpu);
    }

    private static Scenario dependencySlow() {
        return fifo("dep_slow_10x", 100, 1000, 8, 5, Steps.always(1200)).with(it -> {
            it.dependency = new Dependency(20, 0, Steps.between(1, 30, 10, 70), Steps.always(1));
            it.knee = Steps.between(30, 30, 246, 70);
        });
    }

    private static Scenario dependencyBottleneck() {
        return fifo("dep_bottleneck", 100, 500, 16, 4, Steps.always(960)).with(it -> {
            it.dependency = new Dependency(20, 24, Steps.always(1), Steps.between(1, 30, 0.4, 70));
            it.knee = Steps.between(28, 30, 26, 70);
        });
    }

    private static Scenario gcPauses() {
        List<Double> at = new ArrayList<>(List.of(0.0));
        List<Double> speed = new ArrayList<>(List.of(1.0));
        for (double pause = 8; pause < 80; pause += 8) {
            at.addAll(List.of(pause, pause + 0.4));
            speed.addAll(List.of(0.0, 1.0));
        }
        Cpu cpu = new Cpu(false, Steps.always(10), new Steps(at, speed), 0, 0);
        return Scenario.plain("gc_pauses", 80, 800, Steps.always(375), List.of(Work.exponential(1, 20)), cpu);
    }

    private static Scenario coldStart() {
        Steps speed = Steps.every(0.5, 100, t -> Math.min(1, 0.2 + 0.8 * t / 60));
        Cpu cpu = new Cpu(false, Steps.always(24), speed, 0, 0);
        return Scenario.plain("cold_start", 100, 500, Steps.always(1080), List.of(Work.exponential(1, 20)), cpu);
    }

    private static Scenario retryStorm() {
        Cpu cpu = new Cpu(false, Steps.always(12), Steps.between(1, 20, 0.25, 30), 0, 0);
        return Scenario.plain("retry_storm", 80, 300, Steps.always(450), List.of(Work.exponential(1, 20)), cpu)
                .with(it -> it.retries = 3);
    }

    private static Scenario bursty() {
        Steps arrivals = Steps.every(1, 90, t -> t % 5 < 4 ? 400 : 2500);
        return fifo("bursty", 90, 500, 20, 20, arrivals);
    }

    private static Scenario heteroCost() {
        List<Work> work = List.of(Work.exponential(0.9, 6), Work.exponential(0.1, 146));
        return Scenario.plain("hetero_cost", 90, 1000, Steps.always(1200), work, Cpu.workers(16));
    }

    private static Scenario mixShift() {
        List<Work> mostlyShort = List.of(Work.exponential(0.95, 10), Work.exponential(0.05, 60));
        List<Work> oftenLong = List.of(Work.exponential(0.4, 10), Work.exponential(0.6, 60));
        return Scenario.plain("mix_shift", 100, 600, Steps.always(998), mostlyShort, Cpu.workers(16))
                .with(it ->
                        it.mixes = List.of(new Mix(0, mostlyShort), new Mix(30, oftenLong), new Mix(70, mostlyShort)));
    }

    private static Scenario diurnal() {
        Cpu cpu = new Cpu(true, Steps.always(32), Steps.always(1), 0, 5e-5);
        double peak = 1600 / (1 + 5e-5 * 32 * 31);
        Steps arrivals = Steps.every(0.5, 160, t -> peak * (1.05 - 0.75 * StrictMath.cos(2 * Math.PI * t / 80)));
        return Scenario.plain("diurnal", 160, 400, arrivals, List.of(Work.exponential(1, 20)), cpu);
    }

    private static Scenario noisyNeighbour(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Integer> jumps = IntStream.range(0, 40).boxed().toList();
        Steps speed = new Steps(
                jumps.stream().map(i -> 3.0 * i).toList(),
                jumps.stream().map(i -> 0.4 + 0.6 * random.nextDouble()).toList());
        Cpu cpu = new Cpu(true, Steps.always(16), speed, 0, 0);
        return Scenario.plain("noisy_neighbor", 120, 400, Steps.always(720), List.of(Work.exponential(1, 20)), cpu);
    }

    private static Scenario priorities() {
        return fifo("priority_2x", 60, 300, 8, 20, Steps.always(800)).with(it -> it.classes = List.of(0.2, 0.5, 0.3));
    }
}
