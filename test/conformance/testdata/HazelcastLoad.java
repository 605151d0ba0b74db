import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import java.util.concurrent.atomic.AtomicInteger;

/** Sets records from several threads: ADDRESS TABLE RECORDS THREADS BYTES. */
class HazelcastLoad {
    public static void main(String[] args) throws Exception {
        var config = new ClientConfig();
        config.getNetworkConfig().addAddress(args[0]);
        config.setProperty("hazelcast.logging.type", "none");
        var client = HazelcastClient.newHazelcastClient(config);
        var map = client.<String, byte[]>getMap(args[1]);
        int records = Integer.parseInt(args[2]), threads = Integer.parseInt(args[3]);
        var value = new byte[Integer.parseInt(args[4])];
        var failed = new AtomicInteger();
        var all = new Thread[threads];
        long began = System.nanoTime();
        for (int t = 0; t < threads; t++) {
            int first = t;
            all[t] = new Thread(() -> {
                for (int i = first; i < records; i += threads) map.set("user" + i, value);
            });
            all[t].setUncaughtExceptionHandler((thread, error) -> { error.printStackTrace(); failed.incrementAndGet(); });
            all[t].start();
        }
        for (var thread : all) thread.join();
        System.out.println("took " + (System.nanoTime() - began) / 1e6 + " ms");
        client.shutdown();
        System.exit(failed.get() == 0 ? 0 : 1);
    }
}
