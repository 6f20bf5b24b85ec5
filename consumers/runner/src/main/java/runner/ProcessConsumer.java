package runner;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A project that runs in a JVM of its own, with the address of Redis as argument. */
final class ProcessConsumer implements Consumer {
    private static final int SECONDS = 300;

    private final String name;
    private final Path project;
    private final String pathOption;
    private final String main;
    private String failure = "";

    /** @param pathOption {@code -cp} or {@code -p} */
    ProcessConsumer(String name, Path project, String pathOption, String main) {
        this.name = name;
        this.project = project;
        this.pathOption = pathOption;
        this.main = main;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void run() {
        try {
            Path output = project.resolve("target/output");
            String path = project.resolve("target/classes")
                    + File.pathSeparator
                    + Files.readString(project.resolve("target/classpath")).strip();
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            pathOption,
                            path,
                            pathOption.equals("-p") ? "-m" : "-Dweir",
                            main,
                            System.getProperty("redis"))
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                failure = "does not end in " + SECONDS + " s\n";
            } else if (process.exitValue() != 0) {
                failure = Files.readString(output);
            }
        } catch (IOException e) {
            failure = e + "\n";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String failure() {
        return failure;
    }
}
