package dev.weir.redis;

import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;

/** Uses up limits together with other processes. It ends when its standard input ends, and so with its parent. */
final class SharingProcess {
    private static final int IN_FLIGHT = 64;
    private static final int WARM_UP = 500;

    private final Redis redis;
    private final Semaphore window = new Semaphore(IN_FLIGHT);

    private SharingProcess(Redis redis) {
        this.redis = redis;
    }

    /** Arguments: the URI. Each line of the input: a limit, how many decisions, and the file for the answers. */
    public static void main(String[] arguments) throws Exception {
        BlockingQueue<String> lines = new ArrayBlockingQueue<>(16);
        new Thread(() -> read(lines)).start();
        try (Redis redis = Redis.connect(arguments[0])) {
            SharingProcess process = new SharingProcess(redis);
            process.run(
                    SharedLimit.BUCKET,
                    "warm" + ProcessHandle.current().pid(),
                    WARM_UP,
                    OutputStream.nullOutputStream());
            System.out.println("ready");
            for (String line = lines.take(); ; line = lines.take()) {
                String[] parts = line.split(" ", 3);
                try (OutputStream file = Files.newOutputStream(Path.of(parts[2]))) {
                    process.run(SharedLimit.valueOf(parts[0]), parts[0], Integer.parseInt(parts[1]), file);
                }
                System.out.println("done");
            }
        }
    }

    private static void read(BlockingQueue<String> lines) {
        try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                lines.add(line);
            }
        } catch (IOException e) {
            e.printStackTrace();
        }
        Runtime.getRuntime().halt(0);
    }

    private void run(SharedLimit limit, String name, int decisions, OutputStream to) throws Exception {
        RedisRate rate = RedisRate.of(limit.spec());
        byte[] key = KeyName.of("limit", name).of("shared");
        List<byte[]> arguments = rate.arguments(Script.ACQUIRE, 1, 0);
        long[] answers = new long[decisions];
        for (int i = 0; i < decisions; i++) {
            int decision = i;
            window.acquire();
            redis.scripts().run(rate.script(), key, arguments).whenComplete((answer, failure) -> {
                if (failure == null) {
                    answers[decision] = 2 * RedisRate.serverMicros(answer) + answer.get(0);
                } else {
                    failure.printStackTrace();
                }
                window.release();
            });
        }
        window.acquire(IN_FLIGHT);
        window.release(IN_FLIGHT);
        try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(to))) {
            for (long answer : answers) {
                out.writeLong(answer);
            }
        }
    }
}
