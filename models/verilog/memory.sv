// A memory of 64 words with a clocked read port, and a cache of one word in front of it. The cached word agrees with
// the memory if writes go through; `stale` shows what happens with writes that skip the cache.
module memory (
    input  logic       clk,
    input  logic       write,
    input  logic       bypass,
    input  logic [5:0] address,
    input  logic [3:0] data
);
    logic [3:0] words [0:63];
    logic [3:0] cached, shadow;
    logic [5:0] where;
    logic       is_valid = 0;
    logic       is_clean = 1;

    always_ff @(posedge clk) begin
        if (write)
            words[address] <= data;
        if (!write) begin
            cached <= words[address];
            where <= address;
            is_valid <= 1;
            is_clean <= 1;
        end else if (is_valid && where == address) begin
            if (bypass)
                is_clean <= 0;
            else
                cached <= data;
        end
    end

`ifdef FORMAL
    always_comb if (is_valid) begin
        if (is_clean)
            cache_agrees: assert (cached == words[where]);
        stale: assert (cached == words[where]);
    end
`endif
endmodule
