import java.util.concurrent.atomic.AtomicInteger;
import org.apache.ignite.Ignition;
import org.apache.ignite.configuration.ClientConfiguration;

/** Puts records from several threads: ADDRESS TABLE RECORDS THREADS BYTES. */
class IgniteLoad {
    public static void main(String[] args) throws Exception {
        int records = Integer.parseInt(args[2]), threads = Integer.parseInt(args[3]);
        var value = new byte[Integer.parseInt(args[4])];
        var failed = new AtomicInteger();
        var all = new Thread[threads];
        try (var client = Ignition.startClient(new ClientConfiguration().setAddresses(args[0]))) {
            var cache = client.<String, byte[]>getOrCreateCache(args[1]);
            long began = System.nanoTime();
            for (int t = 0; t < threads; t++) {
                int first = t;
                all[t] = new Thread(() -> {
                    for (int i = first; i < records; i += threads) cache.put("user" + i, value);
                });
                all[t].setUncaughtExceptionHandler((thread, error) -> { error.printStackTrace(); failed.incrementAndGet(); });
                all[t].start();
            }
            for (var thread : all) thread.join();
            System.out.println("took " + (System.nanoTime() - began) / 1e6 + " ms");
        }
        System.exit(failed.get() == 0 ? 0 : 1);
    }
}
