package dev.weir.adaptive.signal;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import oshi.software.common.os.linux.LinuxCgroupInfo;
import oshi.software.os.CgroupInfo;
import oshi.util.GlobalConfig;

/**
 * What OSHI says of the control group of a process.
 *
 * @param cores {@link CgroupInfo#getEffectiveCpus()}; NaN if not limited
 * @param memory {@link CgroupInfo#getMemoryLimit()}; -1 if not limited
 */
record OshiGroup(double cores, long memory) {
    /** Prints both for the machine under a directory: OSHI can be told of one only, before it is first used. */
    public static void main(String[] args) {
        GlobalConfig.set("oshi.util.proc.path", args[0] + "/proc");
        GlobalConfig.set("oshi.util.sys.path", args[0] + "/sys");
        CgroupInfo group = new LinuxCgroupInfo();
        System.out.println(group.getEffectiveCpus() + " " + group.getMemoryLimit());
    }

    /** As a process of its own reads it on the machine under this directory. */
    static OshiGroup of(Path root) throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String classes = System.getProperty("java.class.path");
        Process process = new ProcessBuilder(
                        java, "-XX:TieredStopAtLevel=1", "-cp", classes, OshiGroup.class.getName(), root.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader out = process.inputReader()) {
            String line = out.readLine();
            if (line == null) {
                throw new IOException("OSHI told nothing");
            }
            String[] words = line.split(" ", -1);
            double cores = Double.parseDouble(words[0]);
            long memory = Long.parseLong(words[1]);
            return new OshiGroup(
                    cores == CgroupInfo.UNLIMITED_CPUS ? Double.NaN : cores,
                    memory == CgroupInfo.UNLIMITED_MEMORY ? -1 : memory);
        }
    }
}
